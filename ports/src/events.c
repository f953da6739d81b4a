/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions and memory requests are called in the event log. */
#include "said-priv.h"

const WwEventField ww_field_uid =
    WW_EVENT_FIELD("uid", WW_EVENT_NUMBER, "", "the instruction's number in its SM");
const WwEventField ww_field_pc =
    WW_EVENT_FIELD("pc", WW_EVENT_HEX, "bytes", "where it stands in the program");
const WwEventField ww_field_opcode =
    WW_EVENT_FIELD("opcode", WW_EVENT_WORD, "", "as the trace has it; the word alone");
const WwEventField ww_field_mask = WW_EVENT_FIELD("mask", WW_EVENT_MASK, "lanes", "active ones");
const WwEventField ww_field_sm =
    WW_EVENT_FIELD("sm", WW_EVENT_NUMBER, "", "whose instruction or cache made the request");
const WwEventField ww_field_req =
    WW_EVENT_FIELD("req", WW_EVENT_TEXT, "", "the request's name in its SM");
const WwEventField ww_field_type =
    WW_EVENT_FIELD("type", WW_EVENT_TEXT, "", "what the request is for");
const WwEventField ww_field_addr =
    WW_EVENT_FIELD("addr", WW_EVENT_HEX, "bytes", "the first of them");
const WwEventField ww_field_size = WW_EVENT_FIELD("size", WW_EVENT_NUMBER, "bytes", "how many");
const WwEventField ww_field_kernel =
    WW_EVENT_FIELD("kernel", WW_EVENT_NUMBER, "", "the kernel's number in the run");
const WwEventField ww_field_slot =
    WW_EVENT_FIELD("slot", WW_EVENT_NUMBER, "", "place in the SM, or register");

static char *write_register(char *at, uint32_t number)
{
    *at = 'R';
    return ww_event_number(at + 1, number);
}

char *ww_write_registers(char *at, const WwSinst *s)
{
    if (s->dst != 0) {
        memcpy(at, " dst=", 5);
        at = write_register(at + 5, s->dst - 1u);
    }
    for (uint32_t i = 0; i < s->nsrc; i++) {
        if (i == 0) {
            memcpy(at, " src", 4);
            at += 4;
        }
        *at = i == 0 ? '=' : ',';
        at = write_register(at + 1, s->src[i] - 1u);
    }
    return at;
}

static const WwEventField *const inst_parts[] = {&ww_field_opcode, &ww_field_pc, &ww_field_uid,
                                                 NULL};
const WwEventField ww_field_inst = {.name = "inst",
                                    .unit = "",
                                    .doc = "the instruction",
                                    .form = WW_EVENT_PARTS,
                                    .write = ww_say_inst,
                                    .parts = inst_parts,
                                    .kept = &ww_kept_inst};

static const WwEventField *const request_parts[] = {
    &ww_field_sm,   &ww_field_uid,  &ww_field_req, &ww_field_type,
    &ww_field_addr, &ww_field_size, NULL};
const WwEventField ww_field_request = {.name = "request",
                                       .unit = "",
                                       .doc = "the memory request",
                                       .form = WW_EVENT_PARTS,
                                       .write = ww_say_req,
                                       .parts = request_parts,
                                       .kept = &ww_kept_req};

static char *registers_of(char *at, uint64_t value)
{
    return ww_write_registers(at, (const WwSinst *)(uintptr_t)value);
}

static const WwEventField field_dst =
    WW_EVENT_FIELD("dst", WW_EVENT_TEXT, "", "the register that it writes, if any");
static const WwEventField field_src =
    WW_EVENT_FIELD("src", WW_EVENT_TEXT, "", "those that it reads, if any");
static const WwEventField *const register_parts[] = {&field_dst, &field_src, NULL};
const WwEventField ww_field_registers = {
    .name = "registers",
    .unit = "",
    .doc = "its registers",
    .form = WW_EVENT_PARTS,
    .write = registers_of,
    .parts = register_parts,
};
const WwEventField ww_field_line =
    WW_EVENT_FIELD("line", WW_EVENT_NUMBER, "", "of the trace's file");
