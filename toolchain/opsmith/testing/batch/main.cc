// Runs one model, the one that is built with it, on all sets of inputs.

#include "batch.h"

namespace OPSMITH_MODEL {
void invoke();
opsmith::Buffer input(int index);
opsmith::Buffer output(int index);
}  // namespace OPSMITH_MODEL

int main() {
  namespace model = OPSMITH_MODEL;
  batch::run({{model::invoke, model::input, model::output}});
}
