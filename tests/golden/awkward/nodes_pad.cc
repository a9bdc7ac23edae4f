// Kernel instances of pad in awkward.
#include "nodes.h"

#include "runtimes/core/arithmetic.h"
#include "runtimes/core/kernel_contract.h"
#include "pad/reference.h"

namespace opsmith::pad {
static_assert(
    decltype(is_as_declared<void(
        const Params&, const In<void>&, const Out<void>&
#line 1 "ops/pad/op.py"
    )>(reference<Params>))::value,
    "reference.h does not define what pad.op.h declares");
#line 16 "nodes_pad.cc"
}  // namespace opsmith::pad

namespace awkward {

// For t_2.
void pad_0(
    const opsmith::pad::Params& params, const opsmith::pad::In<void>& in,
    const opsmith::pad::Out<void>& out) {
  opsmith::pad::reference(params, in, out);
}

}  // namespace awkward
