// Kernel instances and constants of lines.
#pragma once

#include "add.op.h"
#include "average_rows.op.h"
#include "conv_2d.op.h"

namespace lines {

void conv_2d_0(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables);
void conv_2d_1(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables);
void add_0(const opsmith::add::In<int8_t>& in, const opsmith::add::Out<int8_t>& out);
void conv_2d_2(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::i8::Tables& tables);
void average_rows_0(
    const opsmith::average_rows::In<int8_t>& in, const opsmith::average_rows::Out<int8_t>& out,
    const opsmith::average_rows::State& state);

extern const int8_t t3_filter[288] asm("lines.t3_filter");
extern const int32_t t3_bias[8] asm("lines.t3_bias");
extern const int32_t t3_multiplier[8] asm("lines.t3_multiplier");
extern const int8_t t3_shift[8] asm("lines.t3_shift");
extern const int8_t t6_filter[576] asm("lines.t6_filter");
extern const int32_t t6_bias[8] asm("lines.t6_bias");
extern const int8_t t9_filter[64] asm("lines.t9_filter");
extern const int32_t t9_bias[8] asm("lines.t9_bias");

}  // namespace lines
