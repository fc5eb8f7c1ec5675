"""The attuned supporter: the person's own words, their feeling by its name, and the support they show they want.

It knows only the dialogue. What helps whom it has to hear, as any listener would.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import HumanMessage

from emoharbor.nodes.contract import Request
from emoharbor.nodes.offline.clauses import Clause, clauses
from emoharbor.nodes.offline.data import AttunedLines, supporter_lines, words
from emoharbor.nodes.offline.english import flat, hits, named_feelings, sentences, tokens
from emoharbor.nodes.offline.fresh import Fresh
from emoharbor.state.dialogue import said
from emoharbor.state.inner_world import NeedType

_QUOTE_WORDS = 9
_GROUND = 3
"""Messages after which a question may go deep."""
_RECALL_FROM = 3
"""Turn from which something said earlier can come back."""


def attuned_reply(request: Request, line: Fresh) -> str:
    """Answer the last message of the dialogue."""
    listener = _Listener(tuple(said(request.messages, HumanMessage)), line, supporter_lines().attuned)
    return " ".join(part for part in listener.parts(request.turn) if part)


@dataclass(frozen=True, slots=True)
class _Listener:
    heard: tuple[str, ...]
    line: Fresh
    lines: AttunedLines

    def parts(self, turn: int) -> list[str]:
        """Return two or three short parts; at most one of them asks."""
        last = self.heard[-1]
        if (risk := self._risk(last)) is not None:
            return [self._reflection(last), risk] if risk == self.lines.risk_after else [risk]
        need = self._need(turn)
        if need == "esteem" and (tally := self._tally()):
            return [tally]
        reflected = self._reflection(last, opening=turn == 0)
        answer = self._answer(last, need)
        if not reflected:
            kept = self._recall(self.lines.recall_alone)
            if turn == 0:
                return [self.line.pick(self.lines.listening), answer, self.line.pick(self.lines.what_helps)]
            ask = "" if kept or self._confides(last) else self._question(answer)
            return [kept, answer, ask]
        return [reflected, answer, self._more(turn, need, last, answer)]

    def _risk(self, last: str) -> str | None:
        """Take passing hopelessness seriously: one plain question, once; then go on."""
        asked = self.line.used(self.lines.risk_ask)
        if hits(last, words().risk) and not asked:
            return self.lines.risk_ask
        return self.lines.risk_after if asked and not self.line.used(self.lines.risk_after) else None

    def _need(self, turn: int) -> NeedType | None:
        """Return the kind of support asked for: in the last message, else most often, now and then the second."""
        last = self._asked_for(self.heard[-1:])
        if last:
            return last[0]
        before = self._asked_for(self.heard)
        if not before:
            return None if turn == 0 else "emotional"
        if turn % 3 == 2 and len(before) > 1:
            return before[1]
        return "esteem" if self._just_told_what_to_do() and before[0] in ("tangible", "informational") else before[0]

    def _just_told_what_to_do(self) -> bool:
        """Tell whether the last two replies were steps or facts: three in a row are a list."""
        leads = (*self.lines.tangible_lead, *self.lines.informational_lead)
        recent = self.line.replies[-2:]
        return len(recent) == 2 and all(any(flat(lead) in reply for lead in leads) for reply in recent)

    def _asked_for(self, texts: Sequence[str]) -> list[NeedType]:
        counts = {need: sum(hits(text, marks) for text in texts) for need, marks in self.lines.listens.items()}
        return sorted((need for need, count in counts.items() if count), key=lambda need: -counts[need])

    def _reflection(self, last: str, *, opening: bool = False) -> str:
        """Return the weightiest thing just said, turned to them or quoted."""
        found = self._unspoken(last)
        if not found or not (found[0].full or opening):
            return ""
        clause = found[0]
        if clause.turned is not None and (
            opening or self.line.rng.random() < 0.6 or len(tokens(clause.text)) > _QUOTE_WORDS
        ):
            pool = self.lines.openings if opening else self.lines.reflect_clause
            return self.line.pick(pool).format(clause=clause.turned)
        return self.line.pick(self.lines.reflect_quote).format(quote=clause.text)

    def _answer(self, last: str, need: NeedType | None) -> str:
        """Return the support itself."""
        blamed = self._blamed(last)
        frames = self.line.unused(self.lines.blame if blamed else self.lines.told if self._confides(last) else ())
        if frames:
            return self.line.rng.choice(frames).format(word=blamed[0] if blamed else "")
        match need:
            case None:
                return ""
            case "informational":
                return self._general(self.lines.informational_lead, "facts")
            case "tangible":
                return self._general(self.lines.tangible_lead, "steps")
            case _:
                return self.line.pick(self._pool(need, last)).format(feeling=self._feeling())

    def _pool(self, need: NeedType, last: str) -> Sequence[str]:
        found = self._unspoken(last)
        if need == "esteem" and found and found[0].deed and (left := self.line.unused(self.lines.esteem_deed)):
            return left
        return {"emotional": self.lines.emotional, "network": self.lines.network}.get(need, self.lines.esteem)

    def _blamed(self, last: str) -> list[str]:
        """Return the hard words they just had for themselves."""
        short = [set(tokens(part)) for part in sentences(last) if len(tokens(part)) <= _QUOTE_WORDS]
        own = [said for said in short if {"i", "i'm", "me", "my", "myself"} & said]
        return [word for word in self.lines.blame_words if any(word in said for said in own)]

    def _confides(self, last: str) -> bool:
        """Tell whether they have just told something hard to tell: they say so, or they say much more than before."""
        before = sorted(len(tokens(text)) for text in self.heard[:-1])
        longer = len(before) > 2 and len(tokens(last)) > 1.4 * before[len(before) // 2]
        return longer or bool(hits(last, self.lines.confides))

    def _tally(self) -> str:
        """Add up what they do, from all they have said; every few turns, when there is enough of it."""
        frames = self.line.unused(self.lines.tally)
        done = len(self.lines.tally) - len(frames)
        deeds = [deed for text in self.heard if (deed := _deed(text))]
        chosen = deeds[3 * done : 3 * done + 3]
        if len(chosen) < 2 or not frames or len(self.heard) < 5 * (done + 1):
            return ""
        listed = "; ".join([chosen[0], *(deed[0].lower() + deed[1:] for deed in chosen[1:])])
        daily = any(" every " in deed for deed in chosen)
        frame = frames[0] if daily else frames[-1]
        return frame.format(deeds=listed if frame.startswith("{") else listed[0].lower() + listed[1:])

    def _general(self, leads: Sequence[str], what: str) -> str:
        """Return something true in general about the trouble that is talked of, or a first step in it."""
        for name in self._topics():
            topic = supporter_lines().topics[name]
            left = self.line.unused(topic.facts if what == "facts" else topic.steps)
            if left:
                return f"{self.line.pick(leads)} {left[0]}"
        return self.line.pick(self.lines.esteem).format(feeling=self._feeling())

    def _topics(self) -> list[str]:
        """Return the topics that the dialogue is about, the likeliest first, and last the one that fits all."""
        spoken = Counter(word for text in (*self.heard, self.heard[-1]) for word in tokens(text))
        found = {
            name: [spoken[w] for w in topic.words if w in spoken] for name, topic in supporter_lines().topics.items()
        }
        # one word in passing is no topic
        counts = {name: sum(times) for name, times in found.items() if len(times) > 1 or sum(times) > 2}
        likely = sorted(counts, key=lambda name: -counts[name])
        return [*(name for name in likely[:2] if counts[name] * 2 >= counts[likely[0]]), "any"]

    def _more(self, turn: int, need: NeedType | None, last: str, answer: str) -> str:
        """Return a question, or something from earlier, or nothing: in turns. After a confidence nothing is asked."""
        if turn and self._confides(last):
            return ""
        if need is None:
            return self.line.pick(self.lines.what_helps)
        if turn >= _RECALL_FROM and turn % 2 == 1 and (kept := self._recall(self.lines.recall)):
            return kept
        return self._question(answer) if turn % 2 == 0 else ""

    def _question(self, answer: str) -> str:
        """Return one question not asked before, unless the answer asks already."""
        deep = self.lines.deep_questions if len(self.heard) > _GROUND else ()
        left = self.line.unused((*self.lines.questions, *deep))
        return self.line.rng.choice(left) if left and "?" not in answer else ""

    def _recall(self, pool: Sequence[str]) -> str:
        """Return something said at least two messages ago that has not been taken up."""
        frames = self.line.unused(pool)
        found = [clause for text in self.heard[:-2] for clause in self._unspoken(text) if _short(clause)]
        early = [clause for clause in found if clause.full]
        if not early or not frames:
            return ""
        best = max(early, key=lambda clause: clause.weight)
        return self.line.rng.choice(frames).format(quote=best.text)

    def _unspoken(self, text: str) -> list[Clause]:
        return [
            clause
            for clause in clauses(text)
            if (clause.turned or _short(clause))
            and not self.line.used(clause.text)
            and not (clause.turned and self.line.used(clause.turned))
        ]

    def _feeling(self) -> str:
        """Return the noun for what they last said they feel."""
        for text in reversed(self.heard):
            for label in sorted(named_feelings(text) & self.lines.nouns.keys()):
                return self.lines.nouns[label]
        return "hurt"


def _deed(text: str) -> str | None:
    """Return the weightiest thing that a message says its writer does, turned to them."""
    found = (clause.turned for clause in clauses(text) if clause.deed and clause.full and _short(clause))
    return next(found, None)


def _short(clause: Clause) -> bool:
    return len(tokens(clause.text)) <= _QUOTE_WORDS
