"""Names of C++, of C and of emitted code, which models, tensors and ops must not use."""

import hashlib
import re
from collections.abc import Sequence

KEYWORDS = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t
    char32_t class compl const const_cast constexpr continue decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    register reinterpret_cast return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq

    char8_t concept consteval constinit co_await co_return co_yield requires""".split()  # C++20
)
# Names declared by headers of C, apart from functions.
_HEADERS = frozenset(
    """int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t
    uintmax_t size_t ptrdiff_t max_align_t linux unix errno stdin stdout stderr NULL
    BUFSIZ CHAR_BIT CLOCKS_PER_SEC EDOM EILSEQ EOF ERANGE EXIT_FAILURE EXIT_SUCCESS HUGE_VAL I
    INFINITY MAXFLOAT NAN WEOF""".split()
)
_EMITTED = frozenset(
    """arena input output inputs outputs invoke reset input_count output_count model main opsmith
    std row rows pass advance begin started stream push_row push_frame memcpy memset memmove
    index params tables scratch states lists written kept guards overrun arenas memories
    model_sha256 arena_bytes arena_alignment Run""".split()
)
LONGEST_NAME = 64  # characters of a namespace's name
_OF_PROGRAMS = frozenset(
    """main opsmith opsmith_models std model read write index rindex clock div gamma j0 j1 jn kill
    raise rand random remove rename rewind select signal system time timezone y0 y1 yn""".split()
)
RESERVED = KEYWORDS | _HEADERS | _EMITTED
# C functions that are built into GCC, which warns about namespaces with these names. Variants for
# `float` and `long double` end with f and l.
_FUNCTIONS = frozenset(
    """abort abs acos acosh aligned_alloc asin asinh atan atan2 atanh cabs cacos cacosh calloc carg
    casin casinh catan catanh cbrt ccos ccosh ceil cexp cimag clog conj copysign cos cosh cpow
    cproj creal csin csinh csqrt ctan ctanh erf erfc exit exp exp2 expm1 fabs fdim feclearexcept
    fegetenv fegetexceptflag fegetround feholdexcept feraiseexcept fesetenv fesetexceptflag
    fesetround fetestexcept feupdateenv floor fma fmax fmin fmod fprintf fputc fputs free frexp
    fscanf fwrite hypot ilogb imaxabs isalnum isalpha isblank iscntrl isdigit isgraph isinf
    islower isnan isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswdigit
    iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit labs ldexp lgamma
    llabs llrint llround log log10 log1p log2 logb lrint lround malloc memchr memcmp memcpy
    memmove memset modf nan nearbyint nextafter nexttoward pow printf putc putchar puts realloc
    remainder remquo rint round scalbln scalbn scanf sin sinh snprintf sprintf sqrt sscanf
    strcat strchr strcmp strcpy strcspn strftime strlen strncat strncmp strncpy strpbrk strrchr
    strspn strstr tan tanh tgamma tolower toupper towlower towupper trunc vfprintf vfscanf
    vprintf vscanf vsnprintf vsprintf vsscanf""".split()
)
# Headers of C, POSIX and GCC that emitted code, kernels and applications include, without .h.
SYSTEM_HEADERS = frozenset(
    """aio arm_acle arm_fp16 arm_mve arm_neon assert complex ctype dirent dlfcn endian errno fcntl
    features fenv float immintrin inttypes iso646 limits locale malloc math memory newlib poll
    pthread reent sched semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool stddef
    stdint stdio stdlib stdnoreturn string strings termios tgmath threads time uchar unistd wchar
    wctype x86intrin""".split()
)
# Programs are linked with these, so that the archive of a package with such a name would replace
# one.
SYSTEM_LIBRARIES = frozenset("atomic c dl g gcc gcc_eh gcc_s m nosys pthread rdimon rt".split())
# Of <stdint.h> and <stddef.h>, and of <float.h> and <math.h>, which applications include first.
_MACRO = re.compile(r"[A-Z_]+\d*_(MIN|MAX|C|WIDTH)|offsetof|(FLT|L?DBL|M)_[A-Z0-9_]+")

_CAPITALS = re.compile(r"(?![A-Z](_\d+)?$)[A-Z][A-Z0-9_]*")


def is_macro(name: str) -> bool:
    """True if a header that is included in emitted code may define a macro of this name."""
    return _MACRO.fullmatch(name) is not None


def may_be_macro(name: str) -> bool:
    """True if a name is written like the macros of a vendor's headers (INPUT, B0, ADC1): only
    capitals, and more than a letter with a number (X, X_2). Applications include such headers
    first.
    """
    return is_macro(name) or _CAPITALS.fullmatch(name) is not None


def is_of_c(name: str) -> bool:
    """True if a namespace of this name is impossible in C++, or makes GCC warn."""
    function = name in _FUNCTIONS or (name[-1:] in ("f", "l") and name[:-1] in _FUNCTIONS)
    return function or name in KEYWORDS or name in _HEADERS or is_macro(name)


def identifier(stem: str) -> str:
    """Stem of a file name as a C++ identifier that collides with no keyword or emitted name."""
    name = re.sub(r"[^0-9A-Za-z]+", "_", stem).strip("_")[:LONGEST_NAME].rstrip("_") or "unnamed"
    taken = name[0].isdigit() or name in _OF_PROGRAMS | SYSTEM_LIBRARIES or is_of_c(name)
    return f"model_{name}" if taken else name


def package_name(models: Sequence[str]) -> str:
    """Name of the package of the given models; for several models, a name that no model has."""
    if len(models) == 1:
        return models[0]
    joined = "_".join(models)
    if len(joined) > LONGEST_NAME:
        tag = hashlib.sha256(joined.encode()).hexdigest()[:8]
        joined = f"{joined[: LONGEST_NAME - len(tag) - 1]}_{tag}"
    return identifier(joined)
