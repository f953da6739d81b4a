/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace info` of static code: what a listing adds to a trace.
 */
#include "tally-priv.h"

/** What a listing adds to a kernel's trace. */
typedef struct Listed {
    uint32_t traced;   /**< Instructions that were executed, */
    uint32_t operands; /**< and operands that a trace does not have, of all. */
    uint32_t waits, stalls,
        reuses; /**< Instructions whose control bits wait for a counter, stall for more than a cycle, keep an operand. */
    uint32_t bits_only; /**< Instructions of a cubin whose operands are not known. */
} Listed;

/** For each instruction of the code, 1 if it was executed. */
static uint8_t *executed(const WwKernelReader *k)
{
    uint8_t *seen = g_malloc0(k->pub.code->n);
    for (uint32_t i = 0; i < k->table.n; i++) {
        seen[k->table.sinst[i]->pc / WW_CODE_BYTES] = 1;
    }
    return seen;
}

static Listed look_at_code(const WwKernelReader *k)
{
    const WwCode *code = k->pub.code;
    Listed l = {0};
    g_autofree uint8_t *seen = executed(k);
    for (uint32_t i = 0; i < code->n; i++) {
        const WwCodeInst *inst = &code->inst[i];
        const WwOperand *o = ww_code_operands(code, inst);
        l.traced += seen[i];
        l.waits += inst->control.wait != 0;
        l.stalls += inst->control.stall > 1;
        l.reuses += inst->control.reuse != 0;
        l.bits_only += inst->bits_only;
        for (uint32_t n = 0; n < inst->n_operands; n++) {
            l.operands += o[n].kind != WW_OPERAND_REG && o[n].kind != WW_OPERAND_ADDRESS;
        }
    }
    return l;
}

/** A line is where text has an instruction; a cubin has none. */
static bool is_cubin(const WwCode *code)
{
    return code->inst[0].line == 0;
}

void ww_info_listing_json(FILE *out, const WwKernelReader *k)
{
    const WwCode *code = k->pub.code;
    if (code == NULL) {
        fputs("\"listing\": null", out);
        return;
    }
    Listed l = look_at_code(k);
    fputs("\"listing\": {\"file\": ", out);
    ww_info_string(out, code->file);
    if (is_cubin(code)) {
        fprintf(out, ", \"form\": \"cubin\", \"bits_only\": %u", l.bits_only);
    } else {
        fprintf(out, ", \"form\": \"text\", \"line\": %u", code->inst[0].line);
    }
    fprintf(out,
            ", \"instructions\": %u, \"traced\": %u, \"other_operands\": %u, "
            "\"waiting\": %u, \"stalling\": %u, \"reusing\": %u}",
            code->n, l.traced, l.operands, l.waits, l.stalls, l.reuses);
}

void ww_info_listing_text(FILE *out, const WwKernelReader *k)
{
    const WwCode *code = k->pub.code;
    if (code == NULL) {
        return;
    }
    Listed l = look_at_code(k);
    fprintf(out,
            "  %s %s: %u instructions, %u of them executed; %u wait for a counter, %u stall, "
            "%u keep an "
            "operand; %u operands that the trace does not have\n",
            is_cubin(code) ? "cubin" : "listing", code->file, code->n, l.traced, l.waits, l.stalls,
            l.reuses, l.operands);
    if (l.bits_only != 0) {
        fprintf(out,
                "    %u of them by their control bits only: their operands are the registers that "
                "the trace has\n",
                l.bits_only);
    }
}

/** The code, an instruction a line: pc, control bits, what it is. "*": it was executed. */
void ww_info_code(FILE *out, const WwKernelReader *k)
{
    const WwCode *code = k->pub.code;
    char control[WW_CONTROL_TEXT], operand[WW_OPERAND_TEXT];
    g_autofree uint8_t *seen = executed(k);
    for (uint32_t i = 0; i < code->n; i++) {
        const WwCodeInst *inst = &code->inst[i];
        const WwOperand *o = ww_code_operands(code, inst);
        ww_control_text(&inst->control, control);
        fprintf(out, "  %c %04" G_GINT64_MODIFIER "x %s  ", seen[i] ? '*' : ' ', inst->pc, control);
        if (inst->guard != WW_PRED_TRUE || inst->guard_negated) {
            WwOperand guard = {inst->guard_uniform ? WW_OPERAND_UPRED : WW_OPERAND_PRED,
                               inst->guard_negated ? WW_OPERAND_NEGATED : 0,
                               inst->guard,
                               0,
                               0,
                               0};
            ww_operand_text(&guard, operand);
            fprintf(out, "@%s ", operand);
        }
        fputs(*inst->opcode == '\0' ? "?" : inst->opcode, out);
        for (uint32_t n = 0; n < inst->n_operands; n++) {
            ww_operand_text(&o[n], operand);
            fprintf(out, "%s%s", n == 0 ? " " : n == inst->n_dst ? " <- " : ", ", operand);
        }
        fputc('\n', out);
    }
}
