/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the files of the structural language share: memory, sources and errors, the syntax tree,
 * flat composites. Everything of a platform lives in its arena and goes with it. Private to
 * platforms/src.
 */
#pragma once

#include <platforms/platform.h>

#define PLAT_MAX_FILE (16u << 20) /**< Bytes of one file. */
#define PLAT_MAX_LINE 10000u      /**< Bytes of one line. */
#define PLAT_MAX_DEPTH 64u /**< Nested blocks, parentheses, imports, composites in composites. */
#define PLAT_MAX_ARRAY 65536
#define PLAT_MAX_COMPONENTS 1000000u
#define PLAT_MAX_PARTS 200000u   /**< Distinct parts evaluated. */
#define PLAT_MAX_STEPS 4000000u  /**< Wires and loop turns. */
#define PLAT_MAX_COPIED 1000000u /**< What `extends` copies; names of bodies before those within. */
#define PLAT_MAX_ELEMENTS 4096u  /**< Of an index set. */
#define PLAT_MAX_EXPANDED 1000000u /**< Names and values that loops over sets copy. */
#define PLAT_MAX_HEIGHT 8192u      /**< Of an expression's tree. */
#define PLAT_MAX_REMOVED 50000000u /**< Looks at what `remove` may touch. */
#define PLAT_MAX_DOMAINS 64u       /**< Clock domains, phases (a machine takes fewer). */
#define PLAT_MAX_CHOICES 256u
#define PLAT_MAX_CONFS 1000u            /**< Configs read, each `include` counted. */
#define PLAT_MAX_CONF_BYTES (64u << 20) /**< All of them. */

/* ---- memory -------------------------------------------------------------------------------- */

/** Zeroed memory that is given back all at once. */
typedef struct Arena {
    GPtrArray *chunks;
    char *at;
    size_t left;
} Arena;

void plat_arena_init(Arena *arena);
void plat_arena_clear(Arena *arena);
void *plat_alloc(Arena *arena, size_t size);
char *plat_dup(Arena *arena, const char *text, size_t length);
char *plat_printf(Arena *arena, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** The texts @p first and behind it, up to a NULL, as one. */
char *plat_join(Arena *arena, const char *first, ...) G_GNUC_NULL_TERMINATED;
/** An array of @p n elements, as many as it has room for, with more room. */
void *plat_grow(Arena *arena, void *v, uint32_t n, uint32_t *cap, size_t size);

#define PLAT_NEW(arena, T) ((T *)plat_alloc((arena), sizeof(T)))
/** A growing array in an arena. */
#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *v;                                                                                      \
        uint32_t n, cap;                                                                           \
    }
/** Adds a zeroed element and is its address. */
#define VEC_ADD(arena, vec)                                                                        \
    ((vec)->v = (vec)->n < (vec)->cap                                                              \
                    ? (vec)->v                                                                     \
                    : plat_grow((arena), (vec)->v, (vec)->n, &(vec)->cap, sizeof *(vec)->v),       \
     &(vec)->v[(vec)->n++])

/* ---- sources and errors -------------------------------------------------------------------- */

/** A text that errors may quote. */
typedef struct Source {
    const char *file;
    const char *text;
    size_t length;
} Source;

typedef struct Sources {
    VEC(Source) list;
} Sources;

/**
 * Sets an error: "FILE:LINE:COL: message", then the source line with a caret, then a suggestion
 * when @p near is not NULL. Returns false.
 */
bool plat_fail(const Sources *sources, WwErrorCode code, WwLocation at, const char *near,
               GError **error, const char *format, ...) G_GNUC_PRINTF(6, 7);
/** The same in the text of platform @p p. */
#define PLAT_FAIL(p, code, at, near, error, ...)                                                   \
    plat_fail(&(p)->sources, (code), (at), (near), (error), __VA_ARGS__)
/** Says in the first line of an error which element of an index set it is about; NULL: none. */
void plat_note_element(GError **error, const char *element);
/** "FILE:LINE:COL" in an arena. */
const char *plat_place(Arena *arena, WwLocation at);
/** The name in @p dirs, without @p suffix, that is nearest to @p name; newly allocated, or NULL. */
char *plat_nearest(const char *name, const char *suffix, const char *const *dirs);
/**
 * Reads a file that may be a name to be looked up; *path receives what was opened (newly
 * allocated).
 */
bool plat_read(const char *name, const char *suffix, const char *const *dirs, char **path,
               char **text, size_t *length, GError **error);
/** Refuses what no text should hold: NULs, broken UTF-8, endless lines, endless files. */
bool plat_check_text(const Sources *sources, const Source *source, GError **error);

/* ---- tokens -------------------------------------------------------------------------------- */

typedef enum TokenKind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_MARK, /**< One of ; : , . [ ] { } ( ) = + - * / % $ | < > or -> => .. == != <= >= */
} TokenKind;

enum { MARK_WIRE = 256, MARK_JOIN, MARK_RANGE, MARK_EQUAL, MARK_OTHER, MARK_MOST, MARK_LEAST };

typedef struct Token {
    TokenKind kind;
    WwLocation at;
    int mark;         /**< MARK: its character or MARK_... */
    const char *text; /**< WORD; STRING without quotes and escapes; NUMBER as written. */
    bool braces;      /**< WORD with "{NAME}" in it. */
    bool real;
    bool wide;       /**< NUMBER beyond 2^63: may only stand alone. */
    int64_t integer; /**< NUMBER, its unit applied. */
    double number;
} Token;

typedef struct Lexer {
    const Sources *sources;
    Arena *arena;
    GStringChunk *names;
    const char *file;
    const char *at, *end;
    uint32_t line;
    const char *counted; /**< Up to here, in the line, there are `column` characters. */
    uint32_t column;
    const char *last[64]; /**< Words, interned, by what they look like. */
} Lexer;

void plat_lexer_init(Lexer *lexer, const Sources *sources, const Source *source, Arena *arena,
                     GStringChunk *names);
bool plat_lex(Lexer *lexer, Token *token, GError **error);
/** Factor of a unit word ("KiB": 1024), or 0. */
uint64_t plat_unit(const char *word);
/** How a token is called in a message, in @p out. */
const char *plat_token_text(const Token *token, char *out, size_t size);

/* ---- syntax tree --------------------------------------------------------------------------- */

typedef enum ExprKind {
    EXPR_INTEGER,
    EXPR_WIDE, /**< An integer beyond 2^63. */
    EXPR_REAL,
    EXPR_NAME,
    EXPR_NEGATE,
    EXPR_NOT,
    EXPR_BINARY,
} ExprKind;

/** Operators of two characters or a word; the others stand for themselves. */
enum { OP_OR = '|', OP_AND = '&', OP_EQUAL = '=', OP_OTHER = '!', OP_MOST = 'm', OP_LEAST = 'l' };

typedef struct Expr {
    ExprKind kind;
    char op;         /**< BINARY */
    uint32_t height; /**< Of the tree, which those who walk it descend. */
    WwLocation at;
    int64_t integer;
    double real;
    const char *name;
    const char *text; /**< Numbers: as written, with sign and unit. */
    const struct Expr *left, *right;
} Expr;

typedef enum ValueKind {
    VALUE_EXPR,
    VALUE_LITERAL, /**< One number; `text` as written, so that its unit is checked. */
    VALUE_WORD,    /**< A dotted name. */
    VALUE_STRING,
    VALUE_LIST,
    VALUE_CHOICE, /**< One for each element of an index set; none is left after flattening. */
} ValueKind;

/** "NAME: value" of a VALUE_CHOICE; name NULL: for all others. */
typedef struct Case {
    const char *name;
    WwLocation at;
    const struct Value *value;
} Case;

typedef struct Value {
    ValueKind kind;
    WwLocation at;
    const Expr *expr;
    const char *text;
    VEC(const Expr *) list;
    VEC(Case) cases;
} Value;

typedef enum IndexKind { INDEX_NONE, INDEX_ONE, INDEX_RANGE, INDEX_ALL } IndexKind;

/** One element of a path: name, name[i], name[a..b], name[*]. */
typedef struct Seg {
    const char *name;
    WwLocation at;
    IndexKind index;
    const Expr *from, *to;
} Seg;

typedef struct Path {
    VEC(Seg) seg;
} Path;

typedef struct TypeRef {
    const char *name;
    bool param; /**< $name */
    WwLocation at;
    const char *phase; /**< `in PHASE`: where its entry points run; NULL: as the type says. */
    WwLocation phase_at;
} TypeRef;

typedef struct Param {
    const char *name;
    WwLocation at;
    WwParamRow row;
    const char *like; /**< `type like FAMILY`, else NULL. */
    const Value *def;
    const Expr *min, *max;
    bool final; /**< No config and no -s may give it another value. */
    const char
        *identity; /**< Of an element of a set: interned, the same in all composites; or NULL. */
    const char *element; /**< As Bindings' text, or NULL. */
} Param;

/** `rotate`, `repeat` or `sequence`: an anonymous group. */
typedef struct Grouping {
    const struct Grouping *parent;
    WwGroupMode mode;
    const Expr *repeat;
    WwLocation at;
    uint32_t depth;
} Grouping;

typedef struct Member {
    const char *name;
    WwLocation at;
    const Expr *count; /**< NULL: not an array, or, with a condition, of one element or none. */
    const Expr *cond;  /**< NULL: always there. */
    TypeRef type;
    const Grouping *group;
    const struct Composite *owner; /**< The composite in whose text it is. */
} Member;

/** `path.param = value` (param not NULL) or `path : type`. Blocks are taken apart into these. */
typedef struct Edit {
    Path path;
    const char *param;
    WwLocation at; /**< Of the parameter's name, or of the type. */
    const Value *value;
    TypeRef type;
    bool final;          /**< As Param's. */
    const char *element; /**< As Bindings' text, or NULL. */
} Edit;

/** A name in a list of elements: an index set's, or an element. */
typedef struct IndexItem {
    const char *name;
    WwLocation at;
} IndexItem;

typedef VEC(IndexItem) IndexItems;

/** `index NAME = ...;` or `index NAME += ...;` */
typedef struct IndexDecl {
    const char *name;
    WwLocation at;
    bool more; /**< += */
    IndexItems items;
} IndexDecl;

/** An index set of a composite with what it extends. */
typedef struct IndexSet {
    const char *name;
    WwLocation at;
    const struct Composite *owner; /**< The composite that says `=`. */
    IndexItems items;
    VEC(const char *) elements;
    uint32_t mark; /**< Of `elements`: 0 not yet, 1 in progress, 2 done. */
} IndexSet;

typedef struct Loop {
    const char *name;
    WwLocation at;
    const Expr *from, *to; /**< Over numbers; */
    IndexItems items;      /**< or, when there are some, over a set. */
} Loop;

/** What follows a statement: loops, those over sets first, and a condition. */
typedef struct Loops {
    VEC(Loop) list;
    uint32_t n_sets;  /**< Loops over sets; none is left after flattening. */
    const Expr *cond; /**< NULL: none */
    WwLocation cond_at;
} Loops;

#define PLAT_MAX_LOOPS 4u

/** One arrow; a chain is several. */
typedef struct Wire {
    Path left, right;
    bool interface; /**< => */
    WwLocation at;
    const Loops *loops;
    const char *element; /**< As Bindings' text, or NULL. */
} Wire;

typedef struct Boundary {
    const char *name;
    WwLocation at;
    VEC(Path) ends;
    const Loops *loops;
    const struct Composite *owner;
} Boundary;

/** A boundary port that a `remove` took along. */
typedef struct Taken {
    const char *name;
    const Seg *with; /**< The member that was removed, or whose port was. */
} Taken;

/** A wire that a `remove` took along. */
typedef struct Cut {
    const Wire *wire;
    const Seg *with; /**< As Taken's. */
} Cut;

typedef struct Domain {
    const char *name;
    WwLocation at;
    const Value *hz;
    const struct Composite *owner;
} Domain;

typedef struct PhaseDecl {
    const char *name;
    const char *domain;
    WwLocation at, domain_at;
} PhaseDecl;

typedef enum StatementKind {
    STATEMENT_PARAM,
    STATEMENT_PORT,
    STATEMENT_DOMAIN,
    STATEMENT_MEMBER, /**< With a type: new or, if it exists, a new type for its elements. */
    STATEMENT_EDIT,
    STATEMENT_WIRE,
    STATEMENT_REMOVE,
} StatementKind;

typedef struct Statement {
    StatementKind kind;
    const Loops *tail; /**< NULL: none. Wires and ports have it themselves, too. */
    union {
        Param *param;
        Boundary *port;
        Domain *domain;
        Path *remove;
        Wire *wire;
        Edit *edit;
        struct {
            Path *path;
            TypeRef type;
            const Grouping *group;
            uint32_t n_body; /**< Edits that follow and are its body. */
        } member;
    };
} Statement;

/** What is found by name when there are many. */
typedef struct NameIndex {
    GHashTable *at; /**< Name -> index + 1. */
    uint32_t n;     /**< How many are in it, or were. */
} NameIndex;

/** A composite or machine. After `statements`: flat, with what it extends. */
typedef struct Composite {
    const char *name;
    WwLocation at;
    bool machine;
    const char *base_name;
    WwLocation base_at;
    const struct Composite *base;
    uint32_t mark; /**< Flattening: 0 not yet, 1 in progress, 2 done. */
    const char *doc;
    const char *clock;
    WwLocation clock_at;
    bool gated, partition;
    VEC(Statement) statements;
    VEC(IndexDecl) indexes;
    VEC(IndexSet) sets;
    VEC(Param *) params;
    VEC(Member) members;
    VEC(Edit *) edits;
    VEC(const Wire *) wires;
    VEC(const Boundary *) ports;
    VEC(Taken) gone; /**< Of its own `remove`, */
    VEC(Cut) cuts;   /**< and wires. */
    VEC(const Domain *) domains;
    VEC(PhaseDecl) phases;
    NameIndex member_index, param_index, port_index;
    uint32_t n_removed; /**< While flattening: members without a name. */
} Composite;

struct WwPlatform {
    int refs;
    const WwRegistry *registry;
    Arena arena;
    GStringChunk *names;
    Sources sources;
    GHashTable *files;   /**< Real paths of files read or being read. */
    GHashTable *by_name; /**< Name -> Composite */
    VEC(Composite *) composites;
    Composite *machine;
    GHashTable
        *own; /**< Interned names of the files that are the user's: the main one, and those of
                          no platform directory. */
    VEC(WwCompositeInfo) info;
    uint32_t limit;
    uint64_t copied, looked; /**< Names before paths and inherited things; looks of `remove`. */
    uint64_t expanded;       /**< Looks of loops over sets. */
};

/** Asked for each `import "name";`. */
typedef bool (*PlatImportFn)(void *user, const char *name, WwLocation at, GError **error);
/** Parses one file into @p platform. */
bool plat_parse(WwPlatform *platform, const Source *source, PlatImportFn import, void *user,
                GError **error);
/** Resolves `extends` and applies every composite's statements. */
bool plat_flatten(WwPlatform *platform, GError **error);
/**
 * Index of a member, whose name must be one of the platform's interned ones; -1 if there is none.
 */
int plat_member(const Composite *composite, const char *name);
/** Index of a parameter, or -1. */
int plat_param(const Composite *composite, const char *name);
/** An index set of a composite, or NULL. */
const IndexSet *plat_set(const Composite *composite, const char *name);
/** The index sets of @p composite: its base's, then what it says itself. */
bool plat_declare_sets(WwPlatform *platform, Composite *composite, GError **error);

/** What loops over sets stand for in one turn. */
typedef struct Binding {
    const char *name, *element;
    int64_t position;
} Binding;

typedef struct Bindings {
    uint32_t n;
    Binding v[PLAT_MAX_LOOPS];
    const char *text;     /**< All elements, for messages. */
    GHashTable *elements; /**< All of the first loop's, when values may be for no other; or NULL. */
} Bindings;

/** Called for each turn of the loops over sets. */
typedef bool (*PlatTurnFn)(void *user, const Bindings *bindings, GError **error);
/** @p own: the text is the composite's, so that all sets are as it knows them. */
bool plat_each_turn(WwPlatform *platform, const Composite *composite, const Loops *tail, bool own,
                    PlatTurnFn turn, void *user, GError **error);
/** Copies of @p n statements in which the elements stand for the names in braces. */
Statement *plat_expand(WwPlatform *platform, const Statement *statements, uint32_t n,
                       const Bindings *bindings, GError **error);
/** Index of a boundary port, or -1. */
int plat_port(const Composite *composite, const char *name);
/** Gives the indices of names back. */
void plat_forget_names(Composite *composite);
bool plat_extends(const Composite *composite, const char *name);

/* ---- overrides ----------------------------------------------------------------------------- */

/** One element of a pattern. */
typedef struct PatternSeg {
    const char *name;
    bool any;
    uint32_t from, to; /**< Elements from..to-1. */
} PatternSeg;

typedef struct Pattern {
    VEC(PatternSeg) seg; /**< Without the parameter. */
    const char *param;
} Pattern;

typedef struct Override {
    Pattern pattern;
    const char *text; /**< The pattern as written. */
    const char *value;
    bool quoted;
    WwLocation at;
    WwLocation value_at;
    WwLocation by; /**< The `include` of the file that the user named; line 0: it is in that one. */
    bool asked;    /**< On the command line: meant to win. */
    bool translated; /**< Of another language: ww_overrides_add(). */
} Override;

struct WwOverrides {
    int refs;
    Arena arena;
    GStringChunk *names;
    Sources sources;
    VEC(Override) list;
    GPtrArray *open; /**< Files being read: include cycles. */
    WwLocation by;   /**< The outermost `include` that is being read; line 0: none. */
    const char *platform;
    WwLocation platform_at; /**< Where it is said; */
    uint32_t
        platform_depth; /**< files that are open in the one that says it, if that is one of them; else 0. */
    VEC(uint32_t) traces;      /**< Binary versions of the traces that it is for; none: any. */
    const char *traces_by;     /**< The file that says so. */
    const char *not_validated; /**< The last file that says so of its values, or NULL. */
    const char *opcodes;       /**< The opcode map that is asked for, or NULL. */
    const char *opcodes_by;    /**< File and line that ask for it. */
    uint32_t n_files;
    size_t n_bytes; /**< Of all files. */
};

/** Parses "a.b[2].c"; NULL and *why (static or in the arena), *column (0 first) when malformed. */
bool plat_pattern_parse(Arena *arena, const char *text, Pattern *pattern, const char **why,
                        size_t *column);
