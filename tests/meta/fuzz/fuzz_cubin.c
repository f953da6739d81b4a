/* SPDX-License-Identifier: Apache-2.0 */
/* A cubin of function k, for a kernel trace of it: sections as they may be, bits as they may be. What is read makes sense, or is refused in a line. */
#include "common/fuzz.h"

#include <ports/code.h>
#include <string.h>
#include <trace/info.h>

static const char form[] =
    "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n"
    "-nregs = 8\n-binary version = %d\n-accelsim tracer version = 3\n\n"
    "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 1\n0000 ffffffff 0 NOP 0 0 "
    "\n\n#END_TB\n";

/* Of an ELF header: its second byte is the architecture. */
#define FLAGS 0x30u

static void check_inst(const WwCode *code, const WwCodeInst *inst)
{
    char text[WW_OPERAND_TEXT];
    fuzz_check(ww_code_at(code, inst->pc) == inst, "a pc that is not found", "");
    fuzz_check(inst->n_dst <= inst->n_operands && inst->guard <= WW_PRED_TRUE, "out of range",
               inst->opcode);
    fuzz_check(!inst->bits_only || inst->n_operands == 0, "operands that are not known",
               inst->opcode);
    for (uint32_t k = 0; k < inst->n_operands; k++) {
        const WwOperand *o = &ww_code_operands(code, inst)[k];
        ww_operand_text(o, text);
        fuzz_check(o->kind <= WW_OPERAND_OTHER && *text != '\0', "no operand", text);
    }
}

static void ignore(void *user, const char *message) {}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const files[] = {fuzz_file(0, data, size), NULL};
    bool later = size > FLAGS + 1 && data[FLAGS + 1] == 90;
    g_autofree char *trace = g_strdup_printf(form, later ? 90 : 86);
    WwTraceOptions options = {.warn = ignore, .listings = files};
    g_autoptr(GError) error = NULL;
    WwCommand command = {0};
    const WwCtaTrace *cta = NULL;
    g_autoptr(WwTrace) t = ww_trace_open(fuzz_file(1, trace, strlen(trace)), &options, &error);
    bool good = t != NULL && ww_trace_source.next_command(t, &command, &error);
    if (good) {
        const WwCode *code = command.kernel->code;
        for (uint32_t i = 0; code != NULL && i < code->n; i++) {
            check_inst(code, &code->inst[i]);
        }
        good = ww_trace_source.next_cta(t, command.kernel, &cta, &error);
    }
    fuzz_check_error(good, error, false);
    return 0;
}
