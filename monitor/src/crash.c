/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names the module whose code crashes, before the process ends.
 *
 * A signal handler may call next to nothing, so everything it says is prepared when a module is loaded: where its code
 * lies, and the names of its functions, also of static ones, from the symbol table of the file. At the crash the faulting
 * address says module and function; if it lies in a library that the module has called, the innermost caller that is a
 * module's. A crash elsewhere is told, too, where there are modules: one may have given what it cannot be without. Which component it was the kernel knows (ww_at_work()). A passive component, such as a policy, has no turn of its own; it
 * is found among those bound to the one that has.
 *
 * What cannot be found is left out. The signal then ends the process as it would have without the report.
 */
#include "crash-priv.h"

#include <warpwright/at_work.h>
#include <warpwright/component.h>
#include <warpwright/machine.h>
#include <warpwright/output.h>

#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define MAX_MODULES 64u
#define MAX_RANGES 8u
#define MAX_FRAMES 64
#define TABLE_WORDS 32u /* functions that an interface may have */
#define LINE 1024u

typedef struct Function {
    uintptr_t start, end;
    const char *name;
} Function;

typedef struct Loaded {
    const WwModule *module;
    const char *path;
    struct {
        uintptr_t start, end;
    } range[MAX_RANGES];
    uint32_t n_ranges;
    uintptr_t base;
    Function *function;
    uint32_t n_functions;
} Loaded;

static Loaded loaded[MAX_MODULES];
static volatile uint32_t n_loaded;
static bool reporting;
/* ---- what is prepared ------------------------------------------------------------------------------------------- */

/* The object that holds the address of Loaded.module. */
static int find_object(struct dl_phdr_info *info, size_t size, void *data)
{
    Loaded *l = data;
    bool mine = false;
    uint32_t n = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && n < MAX_RANGES) {
            l->range[n].start = start;
            l->range[n].end = start + p->p_memsz;
            n++;
            mine |= (uintptr_t)l->module >= start && (uintptr_t)l->module < start + p->p_memsz;
        }
    }
    l->n_ranges = mine ? n : 0;
    l->base = info->dlpi_addr;
    return mine;
}

/* @p count entries of @p each bytes at @p offset lie in a file of @p size bytes. */
static bool inside(uint64_t offset, uint64_t count, uint64_t each, gsize size)
{
    return offset <= size && each != 0 && count <= (size - offset) / each;
}

/* The function names of symbol table @p table; the file stays in memory. */
static void read_symbols(Loaded *l, const char *file, gsize size, const ElfW(Shdr) * table,
                         const ElfW(Shdr) * names)
{
    uint64_t n = table->sh_size / sizeof(ElfW(Sym));
    if (!inside(table->sh_offset, n, sizeof(ElfW(Sym)), size) ||
        !inside(names->sh_offset, names->sh_size, 1, size) || names->sh_size == 0 ||
        file[names->sh_offset + names->sh_size - 1] != '\0') {
        return;
    }
    l->function = g_new0(Function, n);
    for (uint64_t i = 0; i < n; i++) {
        ElfW(Sym) s;
        memcpy(&s, file + table->sh_offset + i * sizeof s, sizeof s);
        if ((s.st_info & 15u) == STT_FUNC && s.st_shndx != SHN_UNDEF &&
            s.st_name < names->sh_size) {
            uintptr_t start = l->base + s.st_value;
            l->function[l->n_functions++] =
                (Function){start, start + s.st_size, file + names->sh_offset + s.st_name};
        }
    }
}

/* Static functions are only in the full symbol table; a stripped file has the exported ones. */
static void read_functions(Loaded *l)
{
    char *file;
    gsize size;
    ElfW(Ehdr) head;
    if (!g_file_get_contents(l->path, &file, &size, NULL)) {
        return;
    }
    if (size < sizeof head) {
        g_free(file);
        return;
    }
    memcpy(&head, file, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof(ElfW(Shdr)) ||
        !inside(head.e_shoff, head.e_shnum, sizeof(ElfW(Shdr)), size)) {
        g_free(file);
        return;
    }
    g_autofree ElfW(Shdr) *section = g_memdup2(file + head.e_shoff, head.e_shnum * sizeof *section);
    static const ElfW(Word) kind[] = {SHT_SYMTAB, SHT_DYNSYM};
    for (size_t k = 0; k < G_N_ELEMENTS(kind) && l->n_functions == 0; k++) {
        for (uint32_t i = 0; i < head.e_shnum; i++) {
            if (section[i].sh_type == kind[k] && section[i].sh_link < head.e_shnum) {
                g_clear_pointer(&l->function, g_free);
                read_symbols(l, file, size, &section[i], &section[section[i].sh_link]);
            }
        }
    }
    if (l->n_functions == 0) {
        g_free(file); /* else the names are in it */
    }
}

static void prepare(const WwModule *module, const char *path)
{
    for (uint32_t i = 0; i < n_loaded; i++) {
        if (loaded[i].module == module) {
            return;
        }
    }
    if (n_loaded == MAX_MODULES) {
        return;
    }
    Loaded *l = &loaded[n_loaded];
    *l = (Loaded){.module = module, .path = g_intern_string(path)};
    dl_iterate_phdr(find_object, l);
    read_functions(l);
    if (n_loaded == 0) { /* nothing asks for callers without a module */
        void *frame[1];
        backtrace(frame, 1); /* loads what it needs now, not in the handler */
    }
    n_loaded++;
}

/* ---- who it was ------------------------------------------------------------------------------------------------- */

static const Loaded *module_at(uintptr_t at)
{
    for (uint32_t i = 0; i < n_loaded; i++) {
        for (uint32_t k = 0; k < loaded[i].n_ranges; k++) {
            if (at >= loaded[i].range[k].start && at < loaded[i].range[k].end) {
                return &loaded[i];
            }
        }
    }
    return NULL;
}

/* Compilers put rare parts of function f elsewhere, as f.cold. */
static const Function *whole(const Loaded *l, const Function *part)
{
    const char *dot = strchr(part->name, '.');
    for (uint32_t i = 0; dot != NULL && i < l->n_functions; i++) {
        const char *name = l->function[i].name;
        if (strncmp(name, part->name, (size_t)(dot - part->name)) == 0 &&
            name[dot - part->name] == '\0') {
            return &l->function[i];
        }
    }
    return part;
}

static const Function *function_at(const Loaded *l, uintptr_t at)
{
    for (uint32_t i = 0; i < l->n_functions; i++) {
        if (at >= l->function[i].start && at < l->function[i].end) {
            return whole(l, &l->function[i]);
        }
    }
    return NULL;
}

/* Where the signal struck, and the return address if that was a call into nowhere. */
static void fault(const void *context, uintptr_t *pc, uintptr_t *caller)
{
    *pc = *caller = 0;
#if defined(__x86_64__)
    const ucontext_t *u = context;
    *pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    if (*pc == 0) {
        *caller = *(const uintptr_t *)(uintptr_t)u->uc_mcontext.gregs[REG_RSP] - 1;
    }
#elif defined(__aarch64__)
    const ucontext_t *u = context;
    *pc = (uintptr_t)u->uc_mcontext.pc;
    *caller = *pc == 0 ? (uintptr_t)u->uc_mcontext.regs[30] - 4 : 0;
#endif
}

/* The innermost place in a module; 0 if there is none. */
static uintptr_t place(const void *context)
{
    uintptr_t pc, caller;
    fault(context, &pc, &caller);
    if (module_at(pc) != NULL) {
        return pc;
    }
    if (module_at(caller) != NULL) {
        return caller;
    }
    if (n_loaded == 0) {
        return 0;
    }
    void *frame[MAX_FRAMES];
    int n = backtrace(frame, MAX_FRAMES);
    for (int i = 0; i < n; i++) {
        if (module_at((uintptr_t)frame[i] - 1) != NULL) {
            return (uintptr_t)frame[i] - 1;
        }
    }
    return 0;
}

static bool has_type(const Loaded *l, const WwType *type)
{
    const WwType *const *t = l->module->types;
    while (*t != NULL && *t != type) {
        t++;
    }
    return *t != NULL;
}

/* Who of module `l` is bound to the component that has its turn. */
typedef struct Search {
    const Loaded *l;
    const WwComponent *turn, *found;
    bool several;
} Search;

static void look_at_binding(void *user, const WwComponent *component, const WwPortRow *row,
                            const WwComponent *peer, const WwPortRow *peer_row, WwLocation where)
{
    Search *s = user;
    const WwComponent *other = component == s->turn ? peer : peer == s->turn ? component : NULL;
    if (other != NULL && other != s->found && has_type(s->l, other->type)) {
        s->several |= s->found != NULL;
        s->found = other;
    }
}

/* The component of module @p l: @p turn itself, or the only one of the module that is bound to it. */
static const WwComponent *owner(const Loaded *l, const WwComponent *turn)
{
    if (turn == NULL || has_type(l, turn->type)) {
        return turn;
    }
    Search s = {.l = l, .turn = turn};
    ww_machine_each_binding(turn->machine, look_at_binding, &s);
    return s.several ? NULL : s.found;
}

/* ---- what is said ----------------------------------------------------------------------------------------------- */

typedef struct Text {
    size_t n;
    char line[LINE];
} Text;

static void add(Text *t, const char *word)
{
    while (*word != '\0' && t->n < LINE - 2) {
        t->line[t->n++] = *word++;
    }
}

static void add_number(Text *t, uint64_t number)
{
    char digits[24], *d = digits + sizeof digits - 1;
    *d = '\0';
    do {
        *--d = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    add(t, d);
}

static void add_index(Text *t, int64_t index)
{
    add(t, "[");
    add_number(t, (uint64_t)index);
    add(t, "]");
}

/* Outermost group first, as in ww_path(). */
static void add_group(Text *t, const WwGroup *g)
{
    if (g == NULL) {
        return;
    }
    int32_t index;
    const char *name = ww_group_name(g, &index);
    add_group(t, ww_group_parent(g));
    if (name != NULL) {
        add(t, name);
        if (index >= 0) {
            add_index(t, index);
        }
        add(t, ".");
    }
}

static void add_path(Text *t, const WwComponent *c)
{
    add_group(t, c->group);
    add(t, c->name);
    if (c->index >= 0) {
        add_index(t, c->index);
    }
}

/*
 * Is @p function in a table of functions whose length nobody knows? It may look at what follows the table in the module, which a
 * sanitizer must not mind.
 */
static __attribute__((no_sanitize_address)) bool in_table(const Loaded *l, const void *table,
                                                          uintptr_t function)
{
    const uintptr_t *word = table;
    for (uint32_t i = 0; i < TABLE_WORDS && module_at((uintptr_t)&word[i]) == l; i++) {
        if (word[i] == function) {
            return true;
        }
    }
    return false;
}

/* What the descriptor has the function for. */
static void add_role(Text *t, const Loaded *l, const WwType *type, uintptr_t start)
{
    const WwEntryRow *e;
    const WwPortRow *p;
    add(t, (uintptr_t)type->init == start      ? " (init)"
           : (uintptr_t)type->reset == start   ? " (reset)"
           : (uintptr_t)type->finish == start  ? " (finish)"
           : (uintptr_t)type->settle == start  ? " (settle)"
           : (uintptr_t)type->explain == start ? " (explain)"
                                               : "");
    for (WW_ROWS(type->entries, e)) {
        if ((uintptr_t)e->tick == start) {
            add(t, " (entry point ");
            add(t, e->name);
            add(t, ")");
        }
    }
    for (WW_ROWS(type->ports, p)) {
        if (p->table != NULL && in_table(l, p->table, start)) {
            add(t, " (port ");
            add(t, p->name);
            add(t, ")");
        }
    }
}

static const char *signal_text(int number)
{
    return number == SIGSEGV   ? "segmentation fault"
           : number == SIGBUS  ? "bus error"
           : number == SIGFPE  ? "arithmetic error"
           : number == SIGILL  ? "illegal instruction"
           : number == SIGTRAP ? "trap"
                               : "abort";
}

/* @p l NULL: not in a module. */
static void add_where(Text *t, const Loaded *l, uintptr_t at)
{
    WwAtWork work = ww_at_work();
    const WwComponent *turn = work.component, *c = l != NULL ? owner(l, turn) : turn;
    const WwType *type = c != NULL                                  ? c->type
                         : l != NULL && l->module->types[1] == NULL ? l->module->types[0]
                                                                    : NULL;
    const Function *f = l != NULL ? function_at(l, at) : NULL;
    if (l != NULL) {
        add(t, " in ");
        add(t, f != NULL ? f->name : "a function without a name");
    }
    if (f != NULL && type != NULL) {
        add_role(t, l, type, f->start);
    }
    if (type != NULL) {
        add(t, l != NULL ? " of type " : " in type ");
        add(t, type->name);
    }
    if (c != NULL) {
        add(t, ", component ");
        add_path(t, c);
    }
    if (turn != NULL && work.function == NULL && turn->domain != NULL) {
        add(t, ", cycle ");
        add_number(t, turn->domain->cycle);
    } else if (turn != NULL && work.function != NULL) {
        add(t, ", during ");
        add(t, work.function);
    }
}

/* ---- looking at memory that may be damaged -------------------------------------------------------------------------- */

static sigjmp_buf stumbled;
static pthread_t looking; /* while `looks` */
static volatile sig_atomic_t looks;

/* `if (LOOK()) {...} looks = 0;`: if what is in braces crashes in its turn, that is where it goes on. Of the frame of sigsetjmp(), so no function. */
#define LOOK() (allow_crashes(), sigsetjmp(stumbled, 0) == 0)

static void allow_crashes(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGBUS);
    sigaddset(&set, SIGFPE);
    sigaddset(&set, SIGILL);
    sigaddset(&set, SIGABRT);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    looking = pthread_self();
    looks = 1;
}

static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
static struct sigaction before[G_N_ELEMENTS(numbers)];

/* The process ends as it would have, by whoever saw to it before: the faulting instruction is run again. */
static void resume(int number, const siginfo_t *info)
{
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        if (numbers[i] == number) {
            sigaction(number, &before[i], NULL);
        }
    }
    if (info->si_code <= 0 || number == SIGTRAP || number == SIGABRT) {
        raise(number); /* nothing would come again by itself */
    }
}

static void write_out(Text *t)
{
    ssize_t written = write(STDERR_FILENO, t->line, t->n);
    (void)written;
    t->n = 0;
}

static void tell(Text *t)
{
    t->line[t->n++] = '\n';
    write_out(t);
}

static void (*volatile asked)(const void *context);

/* All other signals that end nothing are blocked there. */
void ww_crash_ask(pthread_t thread, void (*answer)(const void *context))
{
    asked = answer;
    pthread_kill(thread, SIGABRT);
}

static void add_modules(Text *t)
{
    for (uint32_t i = 0; i < n_loaded; i++) {
        const char *slash = strrchr(loaded[i].path, '/');
        add(t, i == 0 ? "" : ", ");
        add(t, slash != NULL ? slash + 1 : loaded[i].path);
    }
}

/* What happened, and who may have done it: what is known without a look at the machine. False: nothing is to be said. */
static bool add_what(Text *t, int number, const Loaded *l, const WwAtWork *work)
{
    if (l != NULL || work->loading != NULL) {
        add(t, "warpwright: module ");
        add(t, l != NULL ? l->path : work->loading);
        add(t, l != NULL      ? " crashed: "
               : work->adding ? " crashed while its types were looked at: "
                              : " crashed while it was being loaded: ");
        add(t, signal_text(number));
        add(t, l == NULL && work->adding ? "; does each table of its types end with {0}?" : "");
        return true;
    }
    if (n_loaded == 0 || number == SIGABRT) { /* which has had its say */
        return false;
    }
    add(t, "warpwright: crashed outside of the modules (");
    add_modules(t);
    add(t, "): ");
    add(t, signal_text(number));
    return true;
}

/* Half of the line is written before anything is looked at that a module may have damaged. All that a stumble must not lose is static. */
static void report(int number, const void *context)
{
    static uintptr_t pc, caller, at;
    static WwAtWork work;
    static Text t;
    static bool whole_line;
    if (LOOK()) {
        fault(context, &pc, &caller);
        at = place(context);
    }
    if (LOOK()) {
        work = ww_at_work();
    }
    looks = 0;
    const Loaded *l = module_at(at);
    if (!add_what(&t, number, l, &work)) {
        return;
    }
    write_out(&t);
    if (LOOK()) {
        add(&t, l == NULL && work.loading == NULL && caller != 0
                    ? ", a function that is not there was called"
                    : "");
        if (l != NULL || work.loading == NULL) {
            add_where(&t, l, at);
        }
        whole_line = true;
    }
    looks = 0;
    if (!whole_line) {
        t.n = 0;
        add(&t, "; memory of the machine is damaged: something was written out of bounds");
    }
    tell(&t);
}

/* The rest of the line about an assertion: whose turn it is, and who may have brought it about. */
static void report_assert(void)
{
    static Text t;
    static bool whole;
    if (LOOK()) {
        add_where(&t, NULL, 0);
        whole = true;
    }
    looks = 0;
    t.n = whole ? t.n : 0;
    if (n_loaded != 0) {
        add(&t, "; has a module (");
        add_modules(&t);
        add(&t, ") broken a contract? 'warpwright conformance' looks for it");
    }
    tell(&t);
}

/* The program itself ends when nobody has a turn. */
static void report_exit(void)
{
    Text t = {0};
    WwAtWork work = ww_at_work();
    if (n_loaded == 0 || (work.component == NULL && work.loading == NULL)) {
        return;
    }
    add(&t, "warpwright: a module (");
    add_modules(&t);
    add(&t, ") ended the process with exit()");
    add_where(&t, NULL, 0);
    tell(&t);
    ww_pending_remove_all();
    _exit(2);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
    if (asked != NULL && number == SIGABRT) {
        asked(context);
        return;
    }
    if (looks != 0 && pthread_equal(looking, pthread_self()) && number != SIGTRAP) {
        siglongjmp(stumbled, 1);
    }
    ww_end_alone(); /* several threads may run the code that crashes */
    report(number, context);
    ww_pending_remove_all();
    resume(number, info);
}

void ww_crash_tell_interrupted(const void *context, const char *consequence)
{
    uintptr_t at = n_loaded != 0 ? place(context) : 0;
    const Loaded *l = module_at(at);
    WwAtWork work = ww_at_work();
    Text t = {0};
    add(&t, "warpwright: interrupted");
    if (l != NULL || work.loading != NULL) {
        add(&t, l != NULL ? ": module " : " while a module was being loaded: ");
        add(&t, l != NULL ? l->path : work.loading);
        add(&t, l != NULL ? " was at work" : "");
    }
    if (l != NULL || work.component != NULL) {
        add_where(&t, l, at);
    }
    add(&t, consequence);
    tell(&t);
}

void ww_crash_report_begin(void)
{
    static char stack[64 * 1024]; /* of the handler: the model's own may have run out */
    if (reporting) {
        return;
    }
    reporting = true;
    ww_module_watch(prepare);
    ww_assert_watch(report_assert);
    atexit(report_exit);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        sigaction(numbers[i], &action, &before[i]);
    }
}
