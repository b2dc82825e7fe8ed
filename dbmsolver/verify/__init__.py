"""The second program: decides whether the claim of a store is right.

It shares no kernel, table, codec or bound with the search. From the readable game
(:mod:`dbmsolver.game`) it takes the rules, the moves home that are safe, the conditions of the
theorems, the class of a deal, and the moves by which it plays a solution. Of the store it is given
the records; blocks are decoded by :mod:`dbmsolver.verify.blocks`, and everything else is made anew
from the deal, the rules and the description of the keys. It takes what is written as it is: what
does not fit is refused, not mended.

**How to read it.** Whoever has read the argument below and these modules, in this order, knows why
to believe the check.

1. The rules of all games of columns that have stores, of FreeCell's kind and of Klondike's, are one
   table, made from the deal: :mod:`~dbmsolver.verify.kernels.rules`,
   :mod:`~dbmsolver.verify.rules_of_deal`. Sets of cards are words
   (:mod:`~dbmsolver.verify.kernels.words`).
2. A position is laid out on a board, and one generator lists its moves:
   :mod:`~dbmsolver.verify.kernels.board`, :mod:`~dbmsolver.verify.kernels.moves`,
   :mod:`~dbmsolver.verify.kernels.left_out`.
3. A *state* says where each card is (:mod:`~dbmsolver.verify.kernels.positions`). Two kinds of keys
   are made into states (:mod:`~dbmsolver.verify.kernels.opening`): signature and planes
   (:mod:`~dbmsolver.verify.format`), and the digits of Klondike and its relatives
   (:mod:`~dbmsolver.verify.patience_format`). :mod:`~dbmsolver.verify.kernels.expand` lists what
   the moves of a state lead to.
4. Not by this generator are made: the macros of records and the moves of classes, which are those
   of docs/dominance.md (:mod:`~dbmsolver.verify.kernels.record_expand`,
   :mod:`~dbmsolver.verify.kernels.classes`), and the moves of games whose cards only leave
   (:mod:`~dbmsolver.verify.kernels.leaving`). Records are laid out by
   :mod:`~dbmsolver.verify.kernels.record_layout`, their macros listed by
   :mod:`~dbmsolver.verify.kernels.record_macros`.
5. All kinds of keys go through one loop, which knows them by :mod:`~dbmsolver.verify.keys`; those
   of games whose cards only leave, of records and of classes are described and made by
   :mod:`~dbmsolver.verify.leaving_format`, :mod:`~dbmsolver.verify.record_format` and
   :mod:`~dbmsolver.verify.class_format`. :mod:`~dbmsolver.verify.kernels.kinds` says what is asked
   of a state of any of them; :mod:`~dbmsolver.verify.kernels.closure` asks it of each closed state.
   States are read from blocks (:mod:`~dbmsolver.verify.blocks`), and found by
   :mod:`~dbmsolver.verify.kernels.closed_set`.
6. :mod:`dbmsolver.verify.run` says which checks a claim needs. :mod:`dbmsolver.verify.closure`
   brings states into memory, and threads to work.
7. For shortest solutions also the solution (:mod:`~dbmsolver.verify.solution`), and the bounds
   (:mod:`~dbmsolver.verify.kernels.bound`, :mod:`~dbmsolver.verify.kernels.class_distances`,
   :mod:`dbmsolver.verify.class_distances`).

The other modules are what these need: the report (:mod:`~dbmsolver.verify.check`,
:mod:`~dbmsolver.verify.report`, :mod:`~dbmsolver.verify.refutation`,
:mod:`~dbmsolver.verify.showing`, :mod:`~dbmsolver.verify.kernels.errors`), the digest of public
keys (:mod:`~dbmsolver.verify.kernels.digest`), windows and temporary files
(:mod:`~dbmsolver.verify.windows`, :mod:`~dbmsolver.verify.temporary`).

**A forced move is safe.** The argument is at :func:`dbmsolver.game.safe_moves.is_safe_home`, for
Klondike and its relatives at :mod:`dbmsolver.game.patience`; the table ``at_home`` carries out that
rule. It says that from every solution that makes a safe move later, one as short follows that makes
it now. So it is enough to look at *lines* that make the forced move wherever there is one: if there
is a solution of n moves, there is one among the lines with at most n. The same is true of the other
moves that are left out (:mod:`dbmsolver.verify.kernels.left_out`). In the metric ``moves`` the
forced moves are those that a program makes by itself, safe or not. They cost nothing, and there are
no lines but those that make them: the claim is about such lines alone.

**Unsolvable.**  Checked: (1) the deal is in the closed set C; (2) every key in C is that of an
arrangement of the 52 cards in the places that these rules have, and no key is there twice; (3) no
state in C is a goal; (4) every successor of a state in C is in C, where a state with a forced move
has no other successor.  By (1) and (4) every line from the deal stays in C; by (3) none ends in a
goal; so there is no solution. Nothing in this depends on how states were read: whichever set it is
that blocks and keys were decoded to, if it has the deal, is closed and without a goal, it proves
the claim. So the decoding need not be trusted. (2) serves the counts, and lets states be laid out:
without it a ring of cards would have no end.

Where the search had layers of costs, g as below is checked besides: it is 0 for the deal, and
(4) is asked of t with g(t) <= g(s) + c(s, t), whatever h(t) is. With the parent-move codes, g is
then the least costs to come to a state, so the counts of all layers are right. The claim that there
is no solution does not need that.

**Unsolvable, by classes.** The store holds classes of positions of Klondike. Checked: the theorem
of docs/dominance.md speaks of the deal (:mod:`dbmsolver.verify.class_format`); (1) to (4) as above,
of classes and moves between them (:mod:`dbmsolver.verify.kernels.classes`).

**Unsolvable, by dominating positions.** The store holds records; each stands for a set of positions
that differ by parked cards (docs/dominance.md). The theorem of that page has to speak of the rules:
:func:`dbmsolver.game.dominance.records.can_dominate` says so, and is asked when the store is opened
(:mod:`dbmsolver.storage.labels`), and by :mod:`dbmsolver.verify.record_format`. Every record is
laid out in columns and slots and has to be one that can be, and no record is there twice. Checked:
(1) the normal form of the deal's own record is stored; (2) every stored record is in normal form,
and none has all cards home; (3) the normal form of each result of each macro of a stored record is
stored (:mod:`dbmsolver.verify.kernels.record_expand`). By (1), (3) and part (b) of the theorem of
docs/dominance.md every settled position of a line from the deal is covered; by (2) none is a goal.
Macros and normal forms are carried out here from that page, on columns of cards; the search has its
own, on words of bits. The code of a record, as that of a class, is eight bits of a hash of its
parent. It only helps to find a way back, no claim rests on it, and it is not checked. Nor is it
checked that records are reached from the deal: more of them than need be prove the same.

**Lemma and full.** Both checks rest on a theorem, and the report calls that depth *lemma*. In the
depth *full* all positions of the deal are listed besides, by the generator of this package, with
safe moves made first, and none is won (:mod:`dbmsolver.verify.listing`). That rests on the
arguments for safe moves and for those left out, on no theorem about records or classes, and on no
closed state.

**Shortest.**  The claim is a length L.  A move from s to t costs c(s, t): 1 in most metrics; 0 if a
program makes it by itself; in Klondike 1 and the turns before it, where these count. A length is
the sum of costs. Let h be the lower bound as computed here (``bound_of`` in
:mod:`dbmsolver.verify.kernels.kinds`; each module of bounds has the argument why it never exceeds
the costs to come), C the closed states of layers f < L, and g(s) = f(s) - h(s) for s in C. Checked:
(1) if h(deal) < L, the deal is in C with g = 0 (else nothing has to be closed; what is closed is
checked all the same); (2) as above, of C; (3) no state in C is a goal;
(4) for every s in C and every successor t of s: either g(s) + c(s, t) + h(t) >= L, or t is in C
with g(t) <= g(s) + c(s, t) (a closed t of a layer from L on will do, too: its g and h make up L or
more, so the first case holds); (5) the solution, replayed by the rules, is legal, ends with all
cards home and has the length L.  Suppose a line s0 (the deal), s1, ..., sn (a goal) had a length n
< L. Let d(i) be the costs of its first i moves.  As h(s0) <= n < L, s0 is in C with g = 0.  If s(i)
is in C with g <= d(i), then g + c(s(i), s(i+1)) + h(s(i+1)) <= d(i+1) + (n - d(i+1)) = n < L, so by
(4) s(i+1) is in C with g <= d(i+1).  So the goal would be in C, against (3).  Nothing is assumed of
the search: not that its bound is right (where the f it wrote down are those of another bound, (1)
or (4) may fail, and the store is refused), nor that its order was.

In games whose cards only leave read f for g, 0 for h, and for the costs of a move the number of
layers that it leads up. No move leads to a lower layer, and that of a goal is its
length. Where the same cards may be left in several layers, these are different states.

*With distances of classes.* A store of Klondike may say that its layers are counted with these,
too (docs/dominance.md). Then h(s) is the larger one of two bounds: the one above, and the distance
of the class of s, with a turn for every ``draw`` cards of the stock where turns count. The check
lists all classes of the deal and works their distances out
(:mod:`dbmsolver.verify.kernels.class_distances`); nothing of this is in the store. A move between
positions is a shift, a turn, or one move between classes, and each card of the stock has to be
turned up. So h never exceeds the costs to come, and the argument above needs no more of it. For the
same reason h falls by no more than a move costs.
Where the class cannot be won, h is larger than any number of moves made that a state may have:
such a successor may be missing, and
such a closed state is refused, as its g would be below 0 in every layer below L. A closed state of
a class that is not among the listed ones is refused, too, and so is a deal that the theorem of
classes does not speak of.

**Parent-move codes** of positions are not needed for either claim; solutions and looked-up
positions hang on them. A code names a card and the place that it came from. Checked, unless only a
sample of the blocks is: to each closed state but the deal's, a move leads that has this code, from
a closed state. It is found when the moves of that state are looked up. Where costs count, the moves
made to both differ by what the move costs. A code and the position after a move tell the position
before it. So the parent is right. Only the deal has the deal's code, where that is a code of its
own. Only the deal has no moves made to it, unless some moves cost nothing. Going on so leads to the
deal: progress (cards home and locked cards released; in Klondike cards played from stock and
reserve, and turned up) never falls along a move, so back from a state it never rises. Among the
states of one stratum the chains of parents are followed to their ends, so they have no rings.

**Memory.** A move leads to its own stratum or to one of the next few; of records, to any later one.
(To a goal it may lead further up, but no goal is closed.) So the closed states of some
strata are in one hash table, with those of the strata that their moves lead to. Where even these do
not fit, a hash divides them into parts, and the states are checked once for each part, with only
that part in memory; what leads to another part is looked up in its turn
(:mod:`dbmsolver.verify.closure`).
"""

from __future__ import annotations

__all__: list[str] = []
