/* SPDX-License-Identifier: Apache-2.0 */
/* A listing, and behind "---" the lines of a kernel trace that it is for: what is read makes sense, and prints as what it was read from. */
#include "common/fuzz.h"

#include <ports/code.h>
#include <string.h>
#include <trace/trace.h>

static const char head[] =
    "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n"
    "-nregs = 8\n-binary version = 86\n-accelsim tracer version = 3\n\n"
    "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n";

static void check_operand(const WwOperand *o)
{
    char text[WW_OPERAND_TEXT];
    ww_operand_text(o, text);
    fuzz_check(o->kind < WW_N_OPERAND_KINDS && *text != '\0', "no operand", text);
    fuzz_check(o->kind != WW_OPERAND_CONST || o->bank < 256, "no bank", text);
}

static void check_code(const WwCode *code)
{
    char text[WW_CONTROL_TEXT];
    for (uint32_t i = 0; i < code->n; i++) {
        const WwCodeInst *inst = &code->inst[i];
        const WwOperand *o = ww_code_operands(code, inst);
        ww_control_text(&inst->control, text);
        fuzz_check(ww_code_at(code, inst->pc) == inst, "a pc that is not found", "");
        fuzz_check(inst->n_dst <= inst->n_operands && inst->guard <= WW_PRED_ALL, "out of range",
                   inst->opcode);
        for (uint32_t k = 0; k < inst->n_operands; k++) {
            check_operand(&o[k]);
        }
    }
}

static void ignore(void *user, const char *message) {}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length;
    const char *second = fuzz_second(data, size, &length);
    const char *listing = fuzz_file(0, data, length);
    size_t more = size - (size_t)(second - (const char *)data);
    g_autofree char *trace = g_strdup_printf("%s%.*s\n#END_TB\n", head, (int)more, second);
    const char *const files[] = {listing, NULL};
    WwTraceOptions options = {.warn = ignore, .listings = files};
    g_autoptr(GError) error = NULL;
    WwCommand command = {0};
    g_autoptr(WwTrace) t = ww_trace_open(fuzz_file(1, trace, strlen(trace)), &options, &error);
    bool good = t != NULL && ww_trace_source.next_command(t, &command, &error);
    if (good && command.kernel->code != NULL) {
        const WwCtaTrace *cta = NULL;
        check_code(command.kernel->code);
        good = ww_trace_source.next_cta(t, command.kernel, &cta, &error);
    }
    fuzz_check_error(good, error, false);
    return 0;
}
