"""numba's types of tuples that kernels get by reference, and the code that reads their fields.

What a struct has is said in :mod:`dbmsolver.jit.structs`. Numbers, addresses and shapes in it never
change, and LLVM is told so: the code may read each once and keep it. What arrays hold may change.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)

from dbmsolver.jit.structs import ADDRESS


class StructType(types.Type):  # type: ignore[misc]  # numba has no types
    """The type of such tuples, for one class and the types of its fields."""

    def __init__(self, of_class: Any, fields: list[Any]) -> None:
        self.instance_class = of_class
        self.fields = dict(zip(of_class._fields, fields, strict=True))
        digest = blake2b(str(fields).encode(), digest_size=8).hexdigest()
        super().__init__(f"{of_class.__module__}.{of_class.__qualname__}.{digest}")

    def slot_of(self, field: str) -> int:
        """Return the number of a field's first slot."""
        before = list(self.fields).index(field)
        return sum(map(_count_slots, list(self.fields.values())[:before]))


def _count_slots(field: Any) -> int:
    """Return the number of slots that a field of this type has."""
    if isinstance(field, types.NoneType):
        return 0
    if isinstance(field, types.Array):
        return 1 + int(field.ndim)
    if isinstance(field, types.BaseTuple):
        return sum(map(_count_slots, field.types))  # type: ignore[attr-defined]
    return 1


@register_model(StructType)
class _StructModel(models.OpaqueModel):  # type: ignore[misc]  # numba has no types
    """A pointer."""


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]  # numba has no types
    """The types of fields."""

    key = StructType

    def generic_resolve(  # type: ignore[override]
        self, struct: StructType, attribute: str
    ) -> Any:
        """Return the type of a field; None if there is no such field."""
        return struct.fields.get(attribute)


@unbox(StructType)
def _unbox(_type: StructType, value: Any, context: Any) -> NativeValue:
    """Return the address of a tuple's struct."""
    api, builder = context.pyapi, context.builder
    address = api.object_getattr_string(value, ADDRESS)
    known = cgutils.is_not_null(builder, address)
    pointer = cgutils.alloca_once_value(builder, ir.Constant(cgutils.voidptr_t, None))
    with builder.if_then(known, likely=True):
        builder.store(api.long_as_voidptr(address), pointer)
        api.decref(address)
    return NativeValue(builder.load(pointer), is_error=builder.not_(known))


@lower_getattr_generic(StructType)
def _read_field(context: Any, builder: Any, struct: StructType, pointer: Any, field: str) -> Any:
    """Return the value of a field."""
    words = builder.bitcast(pointer, ir.IntType(64).as_pointer())
    return _read(context, builder, struct.fields[field], words, struct.slot_of(field))


def _read(context: Any, builder: Any, field: Any, words: Any, slot: int) -> Any:
    """Return the value whose first slot is ``slot``."""
    if isinstance(field, types.BaseTuple):
        values = []
        for part in field.types:  # type: ignore[attr-defined]
            values.append(_read(context, builder, part, words, slot))
            slot += _count_slots(part)
        return context.make_tuple(builder, field, values)
    if isinstance(field, types.Array):
        return _read_array(context, builder, field, words, slot)
    if isinstance(field, types.NoneType):
        return context.get_dummy_value()
    model = context.data_model_manager[field]
    word = _read_slot(builder, words, slot, model.get_data_type())
    return model.from_data(builder, word)


def _read_array(context: Any, builder: Any, field: Any, words: Any, slot: int) -> Any:
    """Return an array as numba has it. Nobody counts references to it."""
    size = ir.IntType(64)
    item = context.get_abi_sizeof(context.get_data_type(field.dtype))
    shape = [_read_slot(builder, words, slot + 1 + axis, size) for axis in range(field.ndim)]
    strides = [size(item)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(length, strides[0]))
    items = shape[0]
    for length in shape[1:]:
        items = builder.mul(items, length)
    model = context.data_model_manager[field]
    kind = model.get_value_type()

    def with_part(value: Any, name: str, part: Any, *axis: int) -> Any:
        return builder.insert_value(value, part, [model.get_field_position(name), *axis])

    data = _read_slot(builder, words, slot, kind.elements[model.get_field_position("data")])
    value = ir.Constant(kind, None)  # no counted memory, no parent
    for name, part in (("nitems", items), ("itemsize", size(item)), ("data", data)):
        value = with_part(value, name, part)
    for axis in range(field.ndim):
        value = with_part(value, "shape", shape[axis], axis)
        value = with_part(value, "strides", strides[axis], axis)
    return value


def _read_slot(builder: Any, words: Any, slot: int, kind: Any) -> Any:
    """Return the number or pointer of a slot."""
    place = builder.gep(words, [ir.IntType(64)(slot)], inbounds=True)
    loaded = builder.load(builder.bitcast(place, kind.as_pointer()))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
