/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions and requests are called in the event log. One is named some ten times, by the same thread soon after each other, so
 * what its numbers came to is kept. What is kept has with it all that it was made of: it is right whatever became of the instruction or the
 * request meanwhile.
 */
#include "said-priv.h"

#define INSTS 256u
#define REQS 4096u /* As many as are under way: of 80 SMs, some 50 each. */
#define REQS_OF_SM 53u
#define MOST_DATA 48u /* " addr=... size=...", and more */

/* " LDG.E pc=a0 uid=307" */
typedef struct SaidInst {
    uint32_t pc, uid;
    uint64_t opcode[2]; /* Its letters, and zeros. */
    uint8_t n_pc, n;    /* Bytes up to the end of the pc, and all. */
    char text[38];
} SaidInst;

/* " sm=0 uid=307 req=4 type=GLOBAL_ACC_R addr=7fb0fc400260 size=32" */
typedef struct SaidReq {
    uint64_t serial, uid, addr, slice;
    uint32_t size;
    uint16_t sm;
    uint8_t type;
    uint8_t at_type, at_data,
        n; /* Where the type's name and what is behind it begin, and all; n 0: nothing yet. */
    char text[86];
} SaidReq;

typedef struct Said {
    SaidReq req[REQS];
    SaidInst inst[INSTS];
    char behind[MOST_DATA]; /* The end of a text is copied with what is behind it. */
} Said;

static __thread Said *kept __attribute__((tls_model("initial-exec")));
static GPrivate keeper = G_PRIVATE_INIT(g_free); /* it ends with its thread */

static __attribute__((noinline)) void make_room(void)
{
    kept = g_new0(Said, 1);
    g_private_set(&keeper, kept);
}

#define PUT(at, text) ((char *)memcpy((at), (text), sizeof(text) - 1) + sizeof(text) - 1)

/* ---- instructions ----------------------------------------------------------------------------------------------- */

static char *put_code(char *at, const WwSinst *s)
{
    return ww_event_hex(PUT(ww_write_opcode(at, s), " pc="), s->pc);
}

static SaidInst *place_of_inst(const WwInst *i)
{
    return &kept->inst[i->uid % INSTS];
}

/* NULL: it is too long to be kept. */
static __attribute__((noinline)) const SaidInst *keep_inst(const WwInst *i)
{
    const WwSinst *s = i->s;
    char text[WW_EVENT_ROOM] = " ";
    if (s->letters == 0 || s->letters > WW_OPCODE_ROOM || s->pc > UINT32_MAX) {
        return NULL;
    }
    if (kept == NULL) {
        make_room();
    }
    SaidInst *said = place_of_inst(i);
    char *pc = put_code(text + 1, s), *end = ww_event_number(PUT(pc, " uid="), i->uid);
    if ((size_t)(end - text) > sizeof said->text) {
        return NULL;
    }
    *said = (SaidInst){.pc = (uint32_t)s->pc,
                       .uid = i->uid,
                       .n_pc = (uint8_t)(pc - text),
                       .n = (uint8_t)(end - text)};
    memcpy(said->opcode, s->opcode, s->letters);
    memcpy(said->text, text, sizeof said->text);
    return said;
}

static inline const SaidInst *said_of_inst(const WwInst *i)
{
    const WwSinst *s = i->s;
    if (G_LIKELY(kept != NULL && s->letters != 0)) {
        const SaidInst *said = place_of_inst(i);
        uint64_t opcode[2];
        memcpy(opcode, s->opcode, sizeof opcode);
        uint64_t differ = (said->opcode[0] ^ opcode[0]) | (said->opcode[1] ^ opcode[1]) |
                          (said->pc ^ s->pc) | (said->uid ^ i->uid);
        if (G_LIKELY(differ == 0 && s->letters <= WW_OPCODE_ROOM)) {
            return said;
        }
    }
    return NULL;
}

static inline char *copy_inst(char *at, const SaidInst *said)
{
    memcpy(at, said->text, sizeof said->text);
    return at + said->n;
}

static __attribute__((noinline)) char *say_new_inst(char *at, const WwInst *i)
{
    const SaidInst *said = keep_inst(i);
    if (said != NULL) {
        return copy_inst(at, said);
    }
    *at = ' ';
    return ww_event_number(PUT(put_code(at + 1, i->s), " uid="), i->uid);
}

char *ww_say_inst(char *at, uint64_t inst)
{
    const WwInst *i = (const WwInst *)(uintptr_t)inst;
    const SaidInst *said = said_of_inst(i);
    return G_LIKELY(said != NULL) ? copy_inst(at, said) : say_new_inst(at, i);
}

static inline char *copy_inst_token(char *at, const SaidInst *said, const WwInst *i)
{
    const char *text = (const char *)said + offsetof(SaidInst, text);
    memcpy(at, text + 1, 32); /* more than there is before the uid */
    at = ww_event_number(PUT(at + said->n_pc - 1, " warp="), i->warp);
    memcpy(at, text + said->n_pc, 16);
    return at + said->n - said->n_pc;
}

static __attribute__((noinline)) char *say_new_inst_token(char *at, const WwInst *i)
{
    const SaidInst *said = keep_inst(i);
    if (said != NULL) {
        return copy_inst_token(at, said, i);
    }
    at = ww_event_number(PUT(put_code(at, i->s), " warp="), i->warp);
    return ww_event_number(PUT(at, " uid="), i->uid);
}

char *ww_say_inst_token(char *at, uint64_t inst)
{
    const WwInst *i = (const WwInst *)(uintptr_t)inst;
    const SaidInst *said = said_of_inst(i);
    return G_LIKELY(said != NULL) ? copy_inst_token(at, said, i) : say_new_inst_token(at, i);
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

static char *put_name(char *at, const WwMemReq *r)
{
    if (r->type != WW_ACCESS_L2_WRBK) {
        at = ww_event_number(PUT(at, " sm="), r->sm);
    }
    if (r->uid != 0) {
        at = ww_event_number(PUT(at, " uid="), r->uid);
    }
    return ww_request_name(PUT(at, " req="), r);
}

static char *put_data(char *at, const WwMemReq *r)
{
    at = ww_event_hex(PUT(at, " addr="), r->addr);
    return ww_event_number(PUT(at, " size="), r->size);
}

static SaidReq *place_of_req(const WwMemReq *r)
{
    return &kept->req[(r->serial + REQS_OF_SM * r->sm) % REQS];
}

/* NULL: it is too long to be kept. */
static __attribute__((noinline)) const SaidReq *keep_req(const WwMemReq *r)
{
    char text[WW_EVENT_ROOM];
    if (kept == NULL) {
        make_room();
    }
    SaidReq *said = place_of_req(r);
    char *name = PUT(put_name(text, r), " type="),
         *type = ww_event_text(name, ww_access_type_name(r->type)), *end = put_data(type, r);
    if ((size_t)(end - text) > sizeof said->text) {
        return NULL;
    }
    *said = (SaidReq){.serial = r->serial,
                      .uid = r->uid,
                      .addr = r->addr,
                      .slice = r->at.slice,
                      .size = r->size,
                      .sm = r->sm,
                      .type = r->type,
                      .at_type = (uint8_t)(name - text),
                      .at_data = (uint8_t)(type - text),
                      .n = (uint8_t)(end - text)};
    memcpy(said->text, text, 32);
    memcpy(said->text + 32, text + 32, 32);
    memcpy(said->text + 64, text + 64, sizeof said->text - 64);
    return said;
}

static inline const SaidReq *said_of_req(const WwMemReq *r)
{
    if (G_LIKELY(kept != NULL)) {
        const SaidReq *said = place_of_req(r);
        uint64_t differ = (said->serial ^ r->serial) | (said->addr ^ r->addr) |
                          (said->uid ^ r->uid) | (said->slice ^ r->at.slice) |
                          (said->size ^ r->size) | (uint64_t)(said->sm ^ r->sm) |
                          (uint64_t)(said->type ^ r->type);
        if (differ == 0 && said->n != 0) {
            return said;
        }
    }
    return NULL;
}

static inline char *copy_req(char *at, const SaidReq *said)
{
    memcpy(at, said->text, 32);
    memcpy(at + 32, said->text + 32, 32);
    memcpy(at + 64, said->text + 64, sizeof said->text - 64);
    return at + said->n;
}

static __attribute__((noinline)) char *say_new_req(char *at, const WwMemReq *r)
{
    const SaidReq *said = keep_req(r);
    if (said != NULL) {
        return copy_req(at, said);
    }
    at = PUT(put_name(at, r), " type=");
    return put_data(ww_event_text(at, ww_access_type_name(r->type)), r);
}

char *ww_say_req(char *at, uint64_t req)
{
    const WwMemReq *r = (const WwMemReq *)(uintptr_t)req;
    const SaidReq *said = said_of_req(r);
    return said != NULL ? copy_req(at, said) : say_new_req(at, r);
}

char *ww_say_req_token(char *at, uint64_t req)
{
    const WwMemReq *r = (const WwMemReq *)(uintptr_t)req;
    const SaidReq *said = said_of_req(r);
    said = said != NULL ? said : keep_req(r);
    if (G_UNLIKELY(said == NULL)) {
        at = ww_event_text(at, ww_access_type_name(r->type));
        at = put_data(r->response ? PUT(at, " response") : PUT(at, " request"), r);
    } else {
        const char *text = (const char *)said + offsetof(SaidReq, text);
        memcpy(at, text + said->at_type, 16);
        at += said->at_data - said->at_type;
        at = r->response ? PUT(at, " response") : PUT(at, " request");
        memcpy(at, text + said->at_data, MOST_DATA);
        at += said->n - said->at_data;
    }
    at = ww_event_number(PUT(at, " sm="), r->sm);
    return ww_event_number(PUT(at, " warp="), r->warp);
}
