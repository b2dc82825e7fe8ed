"""Bit operations that the kernels are made of: counts, packing networks, long products, prefetch.

Everything here compiles to a handful of machine instructions. ``popcount``, ``highest_bit``,
``prefetch`` and ``multiply_high`` are LLVM instructions or intrinsics, and so portable over
processors. ``pack_bits`` is the *compress* network of Hacker's Delight (section 7-4) with its masks
computed beforehand, because PEXT exists on one family of processors only.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.kernels.states import U64

NETWORK_STAGES = 6
NETWORK_WORDS = NETWORK_STAGES + 1
"""A packing network is ``uint64[7]``: six stage masks, then the mask of the bits it packs."""


@intrinsic
def popcount(typingctx, word):
    """Count the one bits of a uint64, as int64."""

    def codegen(context, builder, signature, args):
        function = builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(64)])
        return builder.call(function, [args[0]])

    return types.int64(types.uint64), codegen


@inlined
def lowest_bit(word):
    """Return the index of the lowest one bit of a uint64, as int64; 64 for 0.

    LLVM makes one instruction of it, which counts zeros.
    """
    return popcount(~word & (word - U64(1)))


@intrinsic
def highest_bit(typingctx, word):
    """Return the index of the highest one bit of a uint64, as int64; -1 for 0."""

    def codegen(context, builder, signature, args):
        integer = ir.IntType(64)
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(integer, 63), zeros)

    return types.int64(types.uint64), codegen


@intrinsic
def prefetch(typingctx, array, index):
    """Ask for the cache line of ``array[index]`` (one-dimensional, contiguous) ahead of its use."""
    if not isinstance(array, types.Array):
        return None

    def codegen(context, builder, signature, args):
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).data
        pointer = builder.bitcast(builder.gep(data, [args[1]]), cgutils.voidptr_t)
        integer = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [pointer.type, integer, integer, integer]),
            "llvm.prefetch.p0",
        )
        builder.call(function, [pointer, integer(1), integer(3), integer(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


@intrinsic
def multiply_high(typingctx, left, right):
    """Return the upper 64 bits of the 128-bit product of two uint64."""

    def codegen(context, builder, signature, args):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@inlined_kernel
def make_network(mask, network):
    """Write the packing network of ``mask`` (uint64) to ``network`` (uint64[7])."""
    network[NETWORK_STAGES] = mask
    below = (~mask) << U64(1)
    for stage in range(NETWORK_STAGES):
        parity = below ^ (below << U64(1))
        parity ^= parity << U64(2)
        parity ^= parity << U64(4)
        parity ^= parity << U64(8)
        parity ^= parity << U64(16)
        parity ^= parity << U64(32)
        moving = parity & mask
        network[stage] = moving
        mask = (mask ^ moving) | (moving >> U64(1 << stage))
        below &= ~parity


@inlined
def pack_bits(word, network):
    """Gather the bits of ``word`` (uint64) under the mask of ``network`` in the low bits (PEXT)."""
    word &= network[6]
    moving = word & network[0]
    word = (word ^ moving) | (moving >> U64(1))
    moving = word & network[1]
    word = (word ^ moving) | (moving >> U64(2))
    moving = word & network[2]
    word = (word ^ moving) | (moving >> U64(4))
    moving = word & network[3]
    word = (word ^ moving) | (moving >> U64(8))
    moving = word & network[4]
    word = (word ^ moving) | (moving >> U64(16))
    moving = word & network[5]
    return (word ^ moving) | (moving >> U64(32))


@inlined
def unpack_bits(word, network):
    """Spread the low bits of ``word`` (uint64) to the places of the network's mask (PDEP)."""
    moving = network[5]
    word = (word & ~moving) | ((word << U64(32)) & moving)
    moving = network[4]
    word = (word & ~moving) | ((word << U64(16)) & moving)
    moving = network[3]
    word = (word & ~moving) | ((word << U64(8)) & moving)
    moving = network[2]
    word = (word & ~moving) | ((word << U64(4)) & moving)
    moving = network[1]
    word = (word & ~moving) | ((word << U64(2)) & moving)
    moving = network[0]
    word = (word & ~moving) | ((word << U64(1)) & moving)
    return word & network[6]
