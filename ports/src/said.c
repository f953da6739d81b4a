/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions and requests are called in the event log, and what is kept of them until a line is written: all that their names are made of,
 * and no more.
 */
#include "said-priv.h"

/* A word of up to eight letters, in one go. */
#define PUT_WORD(at, text) ((char *)memcpy((at), (const char[8]){text}, 8) + sizeof(text) - 1)

#define KEEP(at, what) ((char *)memcpy((at), &(what), sizeof(what)) + sizeof(what))
#define TAKE(from, what) (memcpy(&(what), (from), sizeof(what)), (from) += sizeof(what))

/* ---- instructions ----------------------------------------------------------------------------------------------- */

/* What is said of one. */
typedef struct SaidInst {
    uint64_t pc;
    uint32_t uid;
    uint16_t warp;
    uint16_t letters; /* Of its opcode. */
} SaidInst;
#define LETTERS_MOST 128u

static inline char *put_code(char *at, const SaidInst *i, const char *opcode)
{
    if (G_LIKELY(i->letters <= WW_OPCODE_ROOM)) {
        memcpy(at, opcode, WW_OPCODE_ROOM); /* so many are there */
    } else {
        memcpy(at, opcode, i->letters);
    }
    return ww_event_hex(PUT_WORD(at + i->letters, " pc="), i->pc);
}

/* " LDG.E pc=a0 uid=307" */
static inline char *put_inst(char *at, const SaidInst *i, const char *opcode)
{
    *at = ' ';
    return ww_event_number(PUT_WORD(put_code(at + 1, i, opcode), " uid="), i->uid);
}

/* "LDG.E pc=a0 warp=4 uid=307" */
static inline char *put_inst_token(char *at, const SaidInst *i, const char *opcode)
{
    at = ww_event_number(PUT_WORD(put_code(at, i, opcode), " warp="), i->warp);
    return ww_event_number(PUT_WORD(at, " uid="), i->uid);
}

/* Behind it stands the opcode, with zeros up to WW_OPCODE_ROOM. */
static inline const char *take_inst(SaidInst *i, const char **from)
{
    TAKE(*from, *i);
    const char *opcode = *from;
    *from += G_LIKELY(i->letters <= WW_OPCODE_ROOM) ? WW_OPCODE_ROOM : i->letters;
    return opcode;
}

/* With an opcode that is long, or that nobody counted. */
static __attribute__((noinline)) char *keep_long_inst(char *at, const WwInst *i)
{
    const WwSinst *s = i->s;
    size_t letters = s->letters != 0 ? s->letters : strnlen(s->opcode, LETTERS_MOST);
    SaidInst said = {s->pc, i->uid, i->warp, (uint16_t)letters};
    at = KEEP(at, said);
    memset(at, 0, WW_OPCODE_ROOM);
    memcpy(at, s->opcode, said.letters);
    return at + MAX(said.letters, WW_OPCODE_ROOM);
}

static char *keep_inst(char *at, uint64_t inst)
{
    const WwInst *i = (const WwInst *)(uintptr_t)inst;
    const WwSinst *s = i->s;
    if (G_UNLIKELY(s->letters - 1u >= WW_OPCODE_ROOM)) {
        return keep_long_inst(at, i);
    }
    SaidInst said = {s->pc, i->uid, i->warp, s->letters};
    at = KEEP(at, said);
    memcpy(at, s->opcode, WW_OPCODE_ROOM);
    return at + WW_OPCODE_ROOM;
}

static char *tell_inst(char *at, const char **from)
{
    SaidInst i;
    const char *opcode = take_inst(&i, from);
    return put_inst(at, &i, opcode);
}

static char *tell_inst_token(char *at, const char **from)
{
    SaidInst i;
    const char *opcode = take_inst(&i, from);
    return put_inst_token(at, &i, opcode);
}

const WwEventKept ww_kept_inst = {keep_inst, tell_inst};
const WwEventKept ww_kept_inst_token = {keep_inst, tell_inst_token};

/* ---- requests --------------------------------------------------------------------------------------------------- */

#define AS_IT_IS(name) name
static const char types[][16] = {WW_ACCESS_LABELS(AS_IT_IS)};
G_STATIC_ASSERT(G_N_ELEMENTS(types) == WW_N_ACCESS_TYPES);
#define LETTERS(name) sizeof(name) - 1
static const uint8_t type_letters[] = {WW_ACCESS_LABELS(LETTERS)};

/* Of whom a request is that no instruction made. */
static inline char maker_of(const WwMemReq *r)
{
    static const char makers[WW_N_ACCESS_TYPES] = {
        [WW_ACCESS_L2_WRBK] = 's', [WW_ACCESS_L2_WR_ALLOC_R] = 's', [WW_ACCESS_INST_R] = 'i',
        [WW_ACCESS_L1_WRBK] = 'c', [WW_ACCESS_L1_WR_ALLOC_R] = 'c',
    };
    return r->type < WW_N_ACCESS_TYPES ? makers[r->type] : 0;
}

static inline char *put_number(char *at, const WwMemReq *r)
{
    char maker = maker_of(r);
    if (maker != 0) {
        *at++ = maker;
    }
    if (maker == 's') {
        at = ww_event_number(at, r->at.slice);
        *at++ = '.';
    }
    return ww_event_number(at, r->serial);
}

char *ww_request_name(char *at, const WwMemReq *req)
{
    return put_number(at, req);
}

static inline char *put_name(char *at, const WwMemReq *r)
{
    if (r->type != WW_ACCESS_L2_WRBK) {
        at = ww_event_number(PUT_WORD(at, " sm="), r->sm);
    }
    if (r->uid != 0) {
        at = ww_event_number(PUT_WORD(at, " uid="), r->uid);
    }
    return put_number(PUT_WORD(at, " req="), r);
}

static inline char *put_type(char *at, const WwMemReq *r)
{
    if (G_UNLIKELY(r->type >= WW_N_ACCESS_TYPES)) {
        return ww_event_text(at, ww_access_type_name(r->type));
    }
    memcpy(at, types[r->type], sizeof types[0]);
    return at + type_letters[r->type];
}

static inline char *put_data(char *at, const WwMemReq *r)
{
    at = ww_event_hex(PUT_WORD(at, " addr="), r->addr);
    return G_LIKELY(r->size == 32) ? PUT_WORD(at, " size=32")
                                   : ww_event_number(PUT_WORD(at, " size="), r->size);
}

/* " sm=0 uid=307 req=4 type=GLOBAL_ACC_R addr=7fb0fc400260 size=32" */
static inline char *put_req(char *at, const WwMemReq *r)
{
    return put_data(put_type(PUT_WORD(put_name(at, r), " type="), r), r);
}

static const char directions[2][16] = {" request", " response"};

/* "GLOBAL_ACC_R request addr=7fb0fc400260 size=32 sm=0 warp=4" */
static inline char *put_req_token(char *at, const WwMemReq *r)
{
    at = put_type(at, r);
    memcpy(at, directions[r->response], sizeof directions[0]);
    at += sizeof " request" - 1 + r->response;
    at = ww_event_number(PUT_WORD(put_data(at, r), " sm="), r->sm);
    return ww_event_number(PUT_WORD(at, " warp="), r->warp);
}

/* From its size on: whose it is, and what. */
#define MIDDLE offsetof(WwMemReq, size)
#define MIDDLE_BYTES (offsetof(WwMemReq, owner) - MIDDLE)
G_STATIC_ASSERT(MIDDLE < offsetof(WwMemReq, sm) && MIDDLE < offsetof(WwMemReq, warp) &&
                MIDDLE < offsetof(WwMemReq, type) && MIDDLE < offsetof(WwMemReq, response));

static char *keep_req(char *at, uint64_t req)
{
    const WwMemReq *r = (const WwMemReq *)(uintptr_t)req;
    memcpy(at, (const char *)r + MIDDLE, MIDDLE_BYTES);
    at = KEEP(at + MIDDLE_BYTES, r->addr);
    at = KEEP(at, r->serial);
    at = KEEP(at, r->uid);
    return KEEP(at, r->at.slice);
}

/* Of it nothing else is asked. */
static inline void take_req(WwMemReq *r, const char **from)
{
    const char *at = *from;
    memcpy((char *)r + MIDDLE, at, MIDDLE_BYTES);
    at += MIDDLE_BYTES;
    TAKE(at, r->addr);
    TAKE(at, r->serial);
    TAKE(at, r->uid);
    TAKE(at, r->at.slice);
    *from = at;
}

static char *tell_req(char *at, const char **from)
{
    WwMemReq r;
    take_req(&r, from);
    return put_req(at, &r);
}

static char *tell_req_token(char *at, const char **from)
{
    WwMemReq r;
    take_req(&r, from);
    return put_req_token(at, &r);
}

const WwEventKept ww_kept_req = {keep_req, tell_req};
const WwEventKept ww_kept_req_token = {keep_req, tell_req_token};

/* ---- at once ---------------------------------------------------------------------------------------------------- */

static char *say(char *at, const WwEventKept *kept, uint64_t value)
{
    char room[WW_EVENT_ROOM];
    const char *from = room;
    kept->keep(room, value);
    return kept->tell(at, &from);
}

char *ww_say_inst(char *at, uint64_t inst)
{
    return say(at, &ww_kept_inst, inst);
}

char *ww_say_inst_token(char *at, uint64_t inst)
{
    return say(at, &ww_kept_inst_token, inst);
}

char *ww_say_req(char *at, uint64_t req)
{
    return put_req(at, (const WwMemReq *)(uintptr_t)req);
}

char *ww_say_req_token(char *at, uint64_t req)
{
    return put_req_token(at, (const WwMemReq *)(uintptr_t)req);
}
