// What a device of OpenCL 1.2 may lack: functions of extensions, for the build's check of kernels.
#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable

#define PRESENT __attribute__((overloadable))
#define LACKING(extension) \
  __attribute__((overloadable, unavailable("devices may lack " extension))) int

// Also of 32 bits, which are there: where a name is declared, clang adds none of its own.
#define ATOMICS(BASE, EXTENDED, T, V) \
  BASE atom_add(T*, V);               \
  BASE atom_sub(T*, V);               \
  BASE atom_xchg(T*, V);              \
  BASE atom_inc(T*);                  \
  BASE atom_dec(T*);                  \
  BASE atom_cmpxchg(T*, V, V);        \
  EXTENDED atom_min(T*, V);           \
  EXTENDED atom_max(T*, V);           \
  EXTENDED atom_and(T*, V);           \
  EXTENDED atom_or(T*, V);            \
  EXTENDED atom_xor(T*, V);
#define IN_EACH_MEMORY(BASE, EXTENDED, T)         \
  ATOMICS(BASE, EXTENDED, volatile __global T, T) \
  ATOMICS(BASE, EXTENDED, volatile __local T, T)
IN_EACH_MEMORY(PRESENT int, PRESENT int, int)
IN_EACH_MEMORY(PRESENT uint, PRESENT uint, uint)
#define BASE LACKING("cl_khr_int64_base_atomics")
#define EXTENDED LACKING("cl_khr_int64_extended_atomics")
IN_EACH_MEMORY(BASE, EXTENDED, long)
IN_EACH_MEMORY(BASE, EXTENDED, ulong)

#define SUBGROUPS LACKING("cl_khr_subgroups")
SUBGROUPS get_sub_group_size(...);
SUBGROUPS get_max_sub_group_size(...);
SUBGROUPS get_num_sub_groups(...);
SUBGROUPS get_enqueued_num_sub_groups(...);
SUBGROUPS get_sub_group_id(...);
SUBGROUPS get_sub_group_local_id(...);
SUBGROUPS sub_group_barrier(...);
SUBGROUPS sub_group_all(...);
SUBGROUPS sub_group_any(...);
SUBGROUPS sub_group_broadcast(...);
SUBGROUPS sub_group_reduce_add(...);
SUBGROUPS sub_group_reduce_min(...);
SUBGROUPS sub_group_reduce_max(...);
SUBGROUPS sub_group_scan_exclusive_add(...);
SUBGROUPS sub_group_scan_exclusive_min(...);
SUBGROUPS sub_group_scan_exclusive_max(...);
SUBGROUPS sub_group_scan_inclusive_add(...);
SUBGROUPS sub_group_scan_inclusive_min(...);
SUBGROUPS sub_group_scan_inclusive_max(...);

#define OF_INTEL LACKING("cl_intel_subgroups")
OF_INTEL intel_sub_group_shuffle(...);
OF_INTEL intel_sub_group_shuffle_down(...);
OF_INTEL intel_sub_group_shuffle_up(...);
OF_INTEL intel_sub_group_shuffle_xor(...);
OF_INTEL intel_sub_group_block_read(...);
OF_INTEL intel_sub_group_block_read2(...);
OF_INTEL intel_sub_group_block_read4(...);
OF_INTEL intel_sub_group_block_read8(...);
OF_INTEL intel_sub_group_block_write(...);
OF_INTEL intel_sub_group_block_write2(...);
OF_INTEL intel_sub_group_block_write4(...);
OF_INTEL intel_sub_group_block_write8(...);

LACKING("cl_khr_integer_dot_product") dot_acc_sat(...);
LACKING("cl_arm_integer_dot_product_int8") arm_dot(...);
LACKING("cl_arm_integer_dot_product_accumulate_int8") arm_dot_acc(...);
LACKING("cl_arm_integer_dot_product_accumulate_saturate_int8") arm_dot_acc_sat(...);

#undef LACKING
#undef PRESENT
#undef IN_EACH_MEMORY
#undef BASE
#undef EXTENDED
#undef ATOMICS
#undef SUBGROUPS
#undef OF_INTEL
#pragma OPENCL EXTENSION __cl_clang_variadic_functions : disable
