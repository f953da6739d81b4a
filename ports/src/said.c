/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions and requests are called in the event log. One is named some ten times, by the same thread soon after each other, so
 * what its numbers came to is kept. What is kept has with it all that it was made of: it is right whatever became of the instruction or the
 * request meanwhile.
 */
#include "said-priv.h"
#include <sys/mman.h>

#define INSTS 256u
#define HUGE_PAGE (2u << 20) /* All of it is touched at once: a fault for 512. */
#define REQS 32768u          /* A power of two. Only places of what is under way are touched: */
#define REQS_OF_SM 419u /* of an SM as many behind each other as it has requests on their way. */
#define MOST_REQ 80     /* What is copied for a line of a request, */
#define MOST_DATA 48    /* and for a token behind its type. */

/* " LDG.E pc=a0 uid=307" */
typedef struct SaidInst {
    uint32_t pc, uid;
    uint64_t opcode[2]; /* Its letters, and zeros. */
    uint8_t n_pc, n;    /* Bytes up to the end of the pc, and all. */
    char text[38];
} SaidInst;

/* The same with an opcode of more letters, LONG at most, which stands in the text. */
typedef struct SaidLong {
    uint32_t pc, uid;
    uint8_t letters, n_pc, n;
    char text[64];
} SaidLong;
#define LONG 32u

/* " sm=0 uid=307 req=4 type=GLOBAL_ACC_R addr=7fb0fc400260 size=32 sm=0 warp=4": the last two are of tokens only */
typedef struct SaidReq {
    _Alignas(64) uint64_t serial;
    uint64_t addr, maker; /* MAKER_OF() it */
    uint32_t uid;
    uint16_t slice, size;
    uint8_t at_type, at_data; /* Where the type's name and what is behind it begin; */
    uint8_t n;                /* bytes without what only tokens have; 0: nothing yet; */
    uint8_t n_type, n_data;   /* of the type's name, and from the data to the end of all. */
    char text[91];
} SaidReq;
G_STATIC_ASSERT(sizeof(SaidReq) == 128);

typedef struct SaidInsts {
    SaidInst inst[INSTS];
    SaidLong longer[INSTS];
} SaidInsts;

typedef struct Said {
    SaidInsts insts;
    SaidReq req[REQS];
    char behind[MOST_DATA]; /* The end of a text is copied with what is behind it. */
} Said;

/* Until a thread names something, so that nobody need ask: they are never written. */
static SaidInsts no_insts;
static SaidReq no_req;
#define OWN static __thread __attribute__((tls_model("initial-exec")))
OWN SaidInsts *kept = &no_insts;
OWN SaidReq *reqs = &no_req;
OWN uint32_t last_req;                                   /* of them */
static GPrivate keeper = G_PRIVATE_INIT(g_aligned_free); /* it ends with its thread */

static __attribute__((noinline)) void make_room(void)
{
    Said *said = g_aligned_alloc(1, sizeof *said, HUGE_PAGE);
    madvise(said, sizeof *said, MADV_HUGEPAGE); /* a wish */
    memset(said, 0, sizeof *said);
    g_private_set(&keeper, said);
    kept = &said->insts;
    reqs = said->req;
    last_req = REQS - 1;
}

#define PUT(at, text) ((char *)memcpy((at), (text), sizeof(text) - 1) + sizeof(text) - 1)

/* @p n bytes, a constant: of more than 32 at a time the compiler makes a call. */
static inline void copy(char *at, const char *from, size_t n)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < n / 32; i++) {
        memcpy(at + 32 * i, from + 32 * i, 32);
    }
    if (n % 32 != 0) {
        memcpy(at + n / 32 * 32, from + n / 32 * 32, n % 32);
    }
}

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
    if (kept == &no_insts) {
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
    if (G_LIKELY(s->letters - 1u < WW_OPCODE_ROOM)) {
        const SaidInst *said = place_of_inst(i);
        uint64_t opcode[2];
        memcpy(opcode, s->opcode, sizeof opcode);
        uint64_t differ = (said->opcode[0] ^ opcode[0]) | (said->opcode[1] ^ opcode[1]) |
                          (said->pc ^ s->pc) | (said->uid ^ i->uid);
        if (G_LIKELY(differ == 0)) {
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

static bool is_long(const WwSinst *s)
{
    return s->letters > WW_OPCODE_ROOM && s->letters <= LONG && s->pc <= UINT32_MAX;
}

/* Sixteen letters each. */
static inline bool differ(const char *a, const char *b)
{
    uint64_t x[2], y[2];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) != 0;
}

/* Of an opcode that is long. */
static const SaidLong *said_of_long(const WwInst *i)
{
    const WwSinst *s = i->s;
    if (kept == &no_insts) {
        make_room();
    }
    SaidLong *said = &kept->longer[i->uid % INSTS];
    size_t last = s->letters - WW_OPCODE_ROOM;
    if (said->uid != i->uid || said->pc != s->pc || said->letters != s->letters ||
        differ(said->text + 1, s->opcode) || differ(said->text + 1 + last, s->opcode + last)) {
        char text[WW_EVENT_ROOM] = " ", *pc = put_code(text + 1, s),
             *end = ww_event_number(PUT(pc, " uid="), i->uid);
        *said = (SaidLong){.pc = (uint32_t)s->pc,
                           .uid = i->uid,
                           .letters = s->letters,
                           .n_pc = (uint8_t)(pc - text),
                           .n = (uint8_t)(end - text)};
        memcpy(said->text, text, sizeof said->text);
    }
    return said;
}

static __attribute__((noinline)) char *say_new_inst(char *at, const WwInst *i)
{
    if (is_long(i->s)) {
        const SaidLong *said = said_of_long(i);
        copy(at, said->text, sizeof said->text);
        return at + said->n;
    }
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

/* What is read of @p said first is what the compiler would read again behind each letter that is written. */
static inline char *copy_inst_token(char *at, const SaidInst *said, uint32_t warp)
{
    const char *text = (const char *)said + offsetof(SaidInst, text);
    size_t n_pc = said->n_pc, n = said->n - n_pc;
    memcpy(at, text + 1, 32); /* more than there is before the uid */
    at = ww_event_number(PUT(at + n_pc - 1, " warp="), warp);
    memcpy(at, text + n_pc, 16);
    return at + n;
}

static char *copy_long_token(char *at, const SaidLong *said, uint32_t warp)
{
    memcpy(at, said->text + 1, 32); /* more than there is before the uid */
    memcpy(at + 32, said->text + 33, 16);
    at = ww_event_number(PUT(at + said->n_pc - 1, " warp="), warp);
    memcpy(at, said->text + said->n_pc, 16);
    return at + said->n - said->n_pc;
}

static __attribute__((noinline)) char *say_new_inst_token(char *at, const WwInst *i)
{
    if (is_long(i->s)) {
        return copy_long_token(at, said_of_long(i), i->warp);
    }
    const SaidInst *said = keep_inst(i);
    if (said != NULL) {
        return copy_inst_token(at, said, i->warp);
    }
    at = ww_event_number(PUT(put_code(at, i->s), " warp="), i->warp);
    return ww_event_number(PUT(at, " uid="), i->uid);
}

char *ww_say_inst_token(char *at, uint64_t inst)
{
    const WwInst *i = (const WwInst *)(uintptr_t)inst;
    const SaidInst *said = said_of_inst(i);
    uint32_t warp = i->warp;
    return G_LIKELY(said != NULL && warp < 100) /* a number without a call */
               ? copy_inst_token(at, said, warp)
               : say_new_inst_token(at, i);
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

#define AS_IT_IS(name) name
static const char types[][16] = {WW_ACCESS_LABELS(AS_IT_IS)};
G_STATIC_ASSERT(G_N_ELEMENTS(types) == WW_N_ACCESS_TYPES);
#define LETTERS(name) sizeof(name) - 1
static const uint8_t type_letters[] = {WW_ACCESS_LABELS(LETTERS)};

static const char directions[2][16] = {" request", " response"};

/* Whose it is, and so on: what stands behind each other. */
static inline uint64_t word_at(const WwMemReq *r, size_t offset)
{
    uint64_t word;
    memcpy(&word, (const char *)r + offset, sizeof word);
    return word;
}
#define MAKER_OF(r) word_at((r), offsetof(WwMemReq, sm))
G_STATIC_ASSERT(offsetof(WwMemReq, sm) + sizeof(uint64_t) == offsetof(WwMemReq, write));

static inline char *put_name(char *at, const WwMemReq *r)
{
    if (r->type != WW_ACCESS_L2_WRBK) {
        at = ww_event_number(PUT(at, " sm="), r->sm);
    }
    if (r->uid != 0) {
        at = ww_event_number(PUT(at, " uid="), r->uid);
    }
    return ww_request_name(PUT(at, " req="), r);
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
    at = ww_event_hex(PUT(at, " addr="), r->addr);
    return ww_event_number(PUT(at, " size="), r->size);
}

static inline char *put_place(char *at, const WwMemReq *r)
{
    at = ww_event_number(PUT(at, " sm="), r->sm);
    return ww_event_number(PUT(at, " warp="), r->warp);
}

static SaidReq *place_of_req(const WwMemReq *r)
{
    return &reqs[(uint32_t)(r->serial + REQS_OF_SM * r->sm) & last_req];
}

/* NULL: it is too long to be kept. */
static __attribute__((noinline)) const SaidReq *keep_req(const WwMemReq *r)
{
    char text[WW_EVENT_ROOM];
    if (kept == &no_insts) {
        make_room();
    }
    SaidReq *said = place_of_req(r);
    char *type = PUT(put_name(text, r), " type="), *data = put_type(type, r),
         *end = put_data(data, r), *all = put_place(end, r);
    if (end - text > MOST_REQ || all - data > MOST_DATA ||
        (size_t)(all - text) > sizeof said->text || r->uid > UINT32_MAX || r->size > UINT16_MAX) {
        return NULL;
    }
    said->serial = r->serial;
    said->addr = r->addr;
    said->maker = MAKER_OF(r);
    said->uid = (uint32_t)r->uid;
    said->slice = r->at.slice;
    said->size = (uint16_t)r->size;
    said->at_type = (uint8_t)(type - text);
    said->at_data = (uint8_t)(data - text);
    said->n = (uint8_t)(end - text);
    said->n_type = (uint8_t)(data - type);
    said->n_data = (uint8_t)(all - data);
    memcpy(said->text, text, sizeof said->text);
    return said;
}

static inline const SaidReq *said_of_req(const WwMemReq *r)
{
    const SaidReq *said = place_of_req(r);
    uint64_t differ = (said->serial ^ r->serial) | (said->addr ^ r->addr) | (said->uid ^ r->uid) |
                      (said->slice ^ r->at.slice) | (said->size ^ r->size) |
                      (said->maker ^ MAKER_OF(r));
    return G_LIKELY(differ == 0 && said->n != 0) ? said : NULL;
}

static inline char *copy_req(char *at, const SaidReq *said)
{
    copy(at, said->text, MOST_REQ);
    return at + said->n;
}

static __attribute__((noinline)) char *say_new_req(char *at, const WwMemReq *r)
{
    const SaidReq *said = keep_req(r);
    return said != NULL ? copy_req(at, said)
                        : put_data(put_type(PUT(put_name(at, r), " type="), r), r);
}

char *ww_say_req(char *at, uint64_t req)
{
    const WwMemReq *r = (const WwMemReq *)(uintptr_t)req;
    const SaidReq *said = said_of_req(r);
    return G_LIKELY(said != NULL) ? copy_req(at, said) : say_new_req(at, r);
}

static inline char *copy_req_token(char *at, const SaidReq *said, const WwMemReq *r)
{
    const char *text = (const char *)said + offsetof(SaidReq, text);
    size_t at_type = said->at_type, at_data = said->at_data, n = said->n_data;
    const char *direction = directions[r->response];
    size_t n_type = said->n_type, n_direction = sizeof " request" - 1 + r->response;
    memcpy(at, text + at_type, sizeof types[0]);
    at += n_type;
    memcpy(at, direction, sizeof directions[0]);
    at += n_direction;
    copy(at, text + at_data, MOST_DATA);
    return at + n;
}

static __attribute__((noinline)) char *say_new_req_token(char *at, const WwMemReq *r)
{
    const SaidReq *said = keep_req(r);
    if (said != NULL) {
        return copy_req_token(at, said, r);
    }
    at = put_type(at, r);
    at = r->response ? PUT(at, " response") : PUT(at, " request");
    return put_place(put_data(at, r), r);
}

char *ww_say_req_token(char *at, uint64_t req)
{
    const WwMemReq *r = (const WwMemReq *)(uintptr_t)req;
    const SaidReq *said = said_of_req(r);
    return G_LIKELY(said != NULL) ? copy_req_token(at, said, r) : say_new_req_token(at, r);
}
