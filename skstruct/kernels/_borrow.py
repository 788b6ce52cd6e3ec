"""Arrays that a kernel hands on without counting references to them."""

from numba import config
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["borrow"]


def _uncounted(typing_context, array):
    """The same array, for kernels that call each other once for every node.

    numba counts a reference to each array argument in each call, by an atomic operation
    that takes as long as ten additions. A borrowed array is not counted: it must stay
    alive elsewhere, as arguments that come from Python do until the kernel returns.
    """

    def codegen(context, builder, signature, args):
        view = context.make_array(array)(context, builder, args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()

    return array(array), codegen


def _as_it_is(array):
    return array


# Without the compiler, kernels are functions of Python, which count in any case.
borrow = _as_it_is if config.DISABLE_JIT else intrinsic(_uncounted)
