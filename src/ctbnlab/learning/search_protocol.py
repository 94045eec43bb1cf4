"""What scikit-learn needs to copy an estimator and search its options; scikit-learn is not required."""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Callable
from typing import Any, Self, cast

from ctbnlab.errors import InputError


class SearchProtocol:
    """Options of a dataclass by name, and a representation that shows those that were changed."""

    def __new__(cls, *args: Any, **options: Any) -> Self:  # noqa: ARG004
        """Return a learner that keeps private attributes of others, even if it is frozen."""
        for kind in cls.__mro__:
            if dataclasses.is_dataclass(kind):
                _allow_private_attributes(kind)
        return super().__new__(cls)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Return the options by name; `deep` makes no difference, as no option has options itself."""
        return {field.name: getattr(self, field.name) for field in self._options()}

    def set_params(self, **params: Any) -> Self:
        """Change options and return the learner itself, as scikit-learn does; results of `fit` stay."""
        known = [field.name for field in self._options()]
        for name in params:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"choose {', '.join(known) or 'none'}"
                raise InputError(f"{type(self).__name__} has no option {name!r}; {hint}")
        dataclasses.replace(cast(Any, self), **params)  # checks them together
        for name, value in params.items():
            object.__setattr__(self, name, value)
        for name in [
            name for name in vars(self) if isinstance(_member(self, name), functools.cached_property)
        ]:
            del vars(self)[name]
        return self

    def _options(self) -> list[dataclasses.Field[Any]]:
        return [field for field in dataclasses.fields(cast(Any, self)) if field.init]

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn wants to know: neither classifier nor regressor, and no target."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(two_d_array=False),
        )

    def __repr__(self) -> str:
        changed = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in self._options()
            if getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _member(learner: object, name: str) -> Any:
    return next((vars(kind)[name] for kind in type(learner).__mro__ if name in vars(kind)), None)


def _allow_private_attributes(kind: type) -> None:
    """Let others keep private attributes on a frozen dataclass, as scikit-learn 1.9 does."""
    for name in ("__setattr__", "__delattr__"):
        frozen = vars(kind).get(name)
        if frozen is not None and not hasattr(frozen, "__wrapped__"):
            setattr(kind, name, _but_private(frozen, getattr(object, name)))


def _but_private(frozen: Callable[..., None], plain: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(frozen)
    def change(self: object, name: str, *value: Any) -> None:
        (plain if name.startswith("_") else frozen)(self, name, *value)

    return change
