/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions and memory requests are called in the event log. */
#include <ports/events.h>

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

static char *write_inst(char *at, uint64_t value)
{
    const WwInst *i = (const WwInst *)(uintptr_t)value;
    *at = ' ';
    at = ww_event_text(at + 1, i->s->opcode);
    at = ww_event_hex(ww_event_lead(at, &ww_field_pc), i->s->pc);
    return ww_event_number(ww_event_lead(at, &ww_field_uid), i->uid);
}

static const WwEventField *const inst_parts[] = {&ww_field_opcode, &ww_field_pc, &ww_field_uid,
                                                 NULL};
const WwEventField ww_field_inst = {.name = "inst",
                                    .unit = "",
                                    .doc = "the instruction",
                                    .form = WW_EVENT_PARTS,
                                    .write = write_inst,
                                    .parts = inst_parts};

static bool of_slice(const WwMemReq *req)
{
    return req->type == WW_ACCESS_L2_WRBK || req->type == WW_ACCESS_L2_WR_ALLOC_R;
}

char *ww_request_name(char *at, const WwMemReq *req)
{
    if (of_slice(req)) {
        *at = 's';
        at = ww_event_number(at + 1, req->at.slice);
        *at++ = '.';
    } else if (req->type == WW_ACCESS_INST_R) {
        *at++ = 'i';
    } else if (req->type == WW_ACCESS_L1_WRBK || req->type == WW_ACCESS_L1_WR_ALLOC_R) {
        *at++ = 'c';
    }
    return ww_event_number(at, req->serial);
}

/* " type=GLOBAL_ACC_R", so long that it can be copied as a whole. */
typedef struct Label {
    uint8_t n;
    char text[31];
} Label;
#define LABEL(name)                                                                                \
    {                                                                                              \
        sizeof(" type=" name) - 1, " type=" name                                                   \
    }
static const Label types[WW_N_ACCESS_TYPES] = {WW_ACCESS_LABELS(LABEL)};

static char *write_request(char *at, uint64_t value)
{
    const WwMemReq *r = (const WwMemReq *)(uintptr_t)value;
    if (r->type != WW_ACCESS_L2_WRBK) {
        at = ww_event_number(ww_event_lead(at, &ww_field_sm), r->sm);
    }
    if (r->uid != 0) {
        at = ww_event_number(ww_event_lead(at, &ww_field_uid), r->uid);
    }
    at = ww_request_name(ww_event_lead(at, &ww_field_req), r);
    const Label *type = &types[r->type];
    memcpy(at, type->text, sizeof type->text);
    at += type->n;
    at = ww_event_hex(ww_event_lead(at, &ww_field_addr), r->addr);
    return ww_event_number(ww_event_lead(at, &ww_field_size), r->size);
}

static const WwEventField *const request_parts[] = {
    &ww_field_sm,   &ww_field_uid,  &ww_field_req, &ww_field_type,
    &ww_field_addr, &ww_field_size, NULL};
const WwEventField ww_field_request = {.name = "request",
                                       .unit = "",
                                       .doc = "the memory request",
                                       .form = WW_EVENT_PARTS,
                                       .write = write_request,
                                       .parts = request_parts};
