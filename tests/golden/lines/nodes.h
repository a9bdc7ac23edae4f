// Kernel instances and constants of lines.
#pragma once

#include "add.op.h"
#include "average_rows.op.h"
#include "conv_2d.op.h"

namespace lines {

void conv_2d_0(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::PlainTables& tables, const opsmith::conv_2d::PlainScratch& scratch);
void conv_2d_1(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::PlainTables& tables, const opsmith::conv_2d::PlainScratch& scratch);
void add_0(const opsmith::add::In<int8_t>& in, const opsmith::add::Out<int8_t>& out);
void conv_2d_2(
    const opsmith::conv_2d::In<int8_t>& in, const opsmith::conv_2d::Out<int8_t>& out,
    const opsmith::conv_2d::PlainTables& tables, const opsmith::conv_2d::PlainScratch& scratch);
void average_rows_0(
    const opsmith::average_rows::In<int8_t>& in, const opsmith::average_rows::Out<int8_t>& out,
    const opsmith::average_rows::State& state);

extern const int8_t t3_filter[288] asm("lines_t3_filter");
extern const int32_t t3_requantization[32] asm("lines_t3_requantization");
extern const int8_t t6_filter[576] asm("lines_t6_filter");
extern const int32_t t6_requantization[32] asm("lines_t6_requantization");
extern const int8_t t9_filter[64] asm("lines_t9_filter");
extern const int32_t t9_requantization[32] asm("lines_t9_requantization");

}  // namespace lines
