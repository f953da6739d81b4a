/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's other options: what becomes of none of them here, and why. */
#include "options.h"
#include <string.h>

/* clang-format off: a row an option */
static const LeftOut left_out[] = {
    {"-accelwattch_hybrid_perfsim_CC_ACC", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_CYCLES", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_DRAM_RD", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_DRAM_WR", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_L1_RH", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_L1_RM", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_L1_WH", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_L1_WM", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_L2_RH", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_L2_RM", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_L2_WH", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_L2_WM", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_NOC", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_NUM_SM_IDLE", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_PIPE_DUTY", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_SHARED_ACC", WW_OPTION_POWER, "power model"},
    {"-accelwattch_hybrid_perfsim_VOLTAGE", WW_OPTION_POWER, "power model"},
    {"-accelwattch_xml_file", WW_OPTION_POWER, "power model"},
    {"-aggregate_power_stats", WW_OPTION_POWER, "power model"},
    {"-checkpoint_CTA", WW_OPTION_FUNCTIONAL, "of checkpoints, which are refused"},
    {"-checkpoint_CTA_t", WW_OPTION_FUNCTIONAL, "of checkpoints, which are refused"},
    {"-checkpoint_insn_Y", WW_OPTION_FUNCTIONAL, "of checkpoints, which are refused"},
    {"-checkpoint_kernel", WW_OPTION_FUNCTIONAL, "of checkpoints, which are refused"},
    {"-dvfs_enabled", WW_OPTION_POWER, "power model"},
    {"-enable_ptx_file_line_stats", WW_OPTION_VISUALISATION, "a file of its own"},
    {"-gpgpu_cache:dl1PrefL1", WW_OPTION_FUNCTIONAL, "shared memory preferred by a program: traces hold no preference"},
    {"-gpgpu_cache:dl1PrefShared", WW_OPTION_FUNCTIONAL, "shared memory preferred by a program: traces hold no preference"},
    {"-gpgpu_cdp_enabled", WW_OPTION_FUNCTIONAL, "device-side launches: traces hold none"},
    {"-gpgpu_cflog_interval", WW_OPTION_VISUALISATION, "logs of its own"},
    {"-gpgpu_clock_gated_reg_file", WW_OPTION_POWER, "power model"},
    {"-gpgpu_compute_capability_major", WW_OPTION_FUNCTIONAL, "what a program is told of the device"},
    {"-gpgpu_compute_capability_minor", WW_OPTION_FUNCTIONAL, "what a program is told of the device"},
    {"-gpgpu_const_cache:l1", WW_OPTION_FUNCTIONAL, "no trace reaches it: LDC has a fixed latency"},
    {"-gpgpu_deadlock_detect", WW_OPTION_FUNCTIONAL, "here --hang-limit"},
    {"-gpgpu_experimental_lib_support", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_heap_size_limit", WW_OPTION_FUNCTIONAL, "device-side launches: traces hold none"},
    {"-gpgpu_mem_addr_test", WW_OPTION_FUNCTIONAL, "a test of the address map before the run"},
    {"-gpgpu_num_cta_barriers", WW_OPTION_FUNCTIONAL, "checked against a limit, no more"},
    {"-gpgpu_num_mem_units", WW_OPTION_FUNCTIONAL, "the reference always has one"},
    {"-gpgpu_occupancy_sm_number", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_convert_to_ptxplus", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_force_max_capability", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_inst_debug_file", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_inst_debug_thread_uid", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_inst_debug_to_file", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_instruction_classification", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_save_converted_ptxplus", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_sim_mode", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_ptx_use_cuobjdump", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-gpgpu_reg_bank_use_warp_id", WW_OPTION_FUNCTIONAL, "the reference ignores it: a bank always depends on the warp"},
    {"-gpgpu_registers_per_block", WW_OPTION_FUNCTIONAL, "what a program is told of the device"},
    {"-gpgpu_runtime_pending_launch_count_limit", WW_OPTION_FUNCTIONAL, "device-side launches: traces hold none"},
    {"-gpgpu_runtime_sync_depth_limit", WW_OPTION_FUNCTIONAL, "device-side launches: traces hold none"},
    {"-gpgpu_shmem_per_block", WW_OPTION_FUNCTIONAL, "what a program is told of the device"},
    {"-gpgpu_shmem_sizeDefault", WW_OPTION_FUNCTIONAL, "shared memory preferred by a program: traces hold no preference"},
    {"-gpgpu_shmem_size_PrefL1", WW_OPTION_FUNCTIONAL, "shared memory preferred by a program: traces hold no preference"},
    {"-gpgpu_shmem_size_PrefShared", WW_OPTION_FUNCTIONAL, "shared memory preferred by a program: traces hold no preference"},
    {"-gpgpu_simd_model", WW_OPTION_FUNCTIONAL, "execution of PTX: traces have their masks"},
    {"-gpgpu_stack_size_limit", WW_OPTION_FUNCTIONAL, "device-side launches: traces hold none"},
    {"-gpgpu_tensor_core_avail", WW_OPTION_FUNCTIONAL, "units without it are never reached"},
    {"-gpgpu_tex_cache:l1", WW_OPTION_FUNCTIONAL, "no trace reaches it: TEX has a fixed latency"},
    {"-gpgpu_warpdistro_shader", WW_OPTION_VISUALISATION, "visualiser only"},
    {"-hw_perf_bench_name", WW_OPTION_POWER, "power model"},
    {"-hw_perf_file_name", WW_OPTION_POWER, "power model"},
    {"-icnt_verbose", WW_OPTION_VISUALISATION, "messages on the way"},
    {"-keep", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-l2_ideal", WW_OPTION_FUNCTIONAL, "the reference never looks at it"},
    {"-liveness_message_freq", WW_OPTION_VISUALISATION, "messages on the way"},
    {"-n_regfile_gating_group", WW_OPTION_POWER, "power model"},
    {"-power_per_cycle_dump", WW_OPTION_POWER, "power model"},
    {"-power_simulation_enabled", WW_OPTION_POWER, "power model"},
    {"-power_simulation_mode", WW_OPTION_POWER, "power model"},
    {"-power_trace_enabled", WW_OPTION_POWER, "power model"},
    {"-power_trace_zlevel", WW_OPTION_POWER, "power model"},
    {"-ptx_line_stats_filename", WW_OPTION_VISUALISATION, "a file of its own"},
    {"-ptx_opcode_initiation_dp", WW_OPTION_FUNCTIONAL, "execution of PTX: traces have -trace_opcode_latency_initiation_*"},
    {"-ptx_opcode_initiation_fp", WW_OPTION_FUNCTIONAL, "execution of PTX: traces have -trace_opcode_latency_initiation_*"},
    {"-ptx_opcode_initiation_int", WW_OPTION_FUNCTIONAL, "execution of PTX: traces have -trace_opcode_latency_initiation_*"},
    {"-ptx_opcode_initiation_sfu", WW_OPTION_FUNCTIONAL, "execution of PTX: traces have -trace_opcode_latency_initiation_*"},
    {"-ptx_opcode_initiation_tensor", WW_OPTION_FUNCTIONAL, "execution of PTX: traces have -trace_opcode_latency_initiation_*"},
    {"-resume_CTA", WW_OPTION_FUNCTIONAL, "of checkpoints, which are refused"},
    {"-resume_kernel", WW_OPTION_FUNCTIONAL, "of checkpoints, which are refused"},
    {"-save_embedded_ptx", WW_OPTION_FUNCTIONAL, "execution of PTX"},
    {"-steady_power_levels_enabled", WW_OPTION_POWER, "power model"},
    {"-steady_state_definition", WW_OPTION_POWER, "power model"},
    {"-trace", WW_OPTION_FUNCTIONAL, "here the TRACE of the command"},
    {"-trace_components", WW_OPTION_VISUALISATION, "messages on the way"},
    {"-trace_enabled", WW_OPTION_VISUALISATION, "messages on the way"},
    {"-trace_sampling_core", WW_OPTION_VISUALISATION, "messages on the way"},
    {"-trace_sampling_memory_partition", WW_OPTION_VISUALISATION, "messages on the way"},
    {"-visualizer_outputfile", WW_OPTION_VISUALISATION, "where and how the visualiser writes"},
    {"-visualizer_zlevel", WW_OPTION_VISUALISATION, "where and how the visualiser writes"},
};
/* clang-format on */

const LeftOut *left_out_at(size_t i)
{
    return i < G_N_ELEMENTS(left_out) ? &left_out[i] : NULL;
}

const LeftOut *left_out_find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(left_out); i++) {
        if (strcmp(left_out[i].name, name) == 0) {
            return &left_out[i];
        }
    }
    return NULL;
}
