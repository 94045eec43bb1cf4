"""Distribution functions of the tests: F, χ² and Kolmogorov, from the C library alone.

The relative error stays below 1e-10 far into the tails, for degrees of freedom from 1 to 1e7:
- the factor in front of each series or integral is taken from Loader's saddle-point form (a deviance and
  Stirling errors), not from differences of log-gammas, which lose digits when counts are large;
- a tail with a small parameter comes from a continued fraction or a series of positive terms;
- any other tail is the integral of a log-concave function in the log odds, by twenty Gauss–Legendre nodes
  between the point and where the integrand has fallen by e⁻³².
"""

from libc.math cimport INFINITY, M_PI, NAN, ceil, cos, erfc, exp, expm1, fabs, floor, fmax, isfinite
from libc.math cimport isnan, log, log1p, sqrt

from ctbnlab.learning._log_gamma cimport log_gamma

cdef enum:
    NODES = 20

cdef double LARGE = 64          # above this parameter a tail is computed as an integral
cdef double DEPTH = 32          # the integrand is followed down to e^-32
cdef double HALF_LOG_2PI = 0.9189385332046727418
cdef double[NODES] node         # on [0, 1]
cdef double[NODES] weight


cdef void fill_nodes() noexcept:
    """Gauss–Legendre nodes and weights on [0, 1], by Newton's method on the Legendre polynomial."""
    cdef int k, j
    cdef double z, p0, p1, p2, slope = 1, step
    for k in range(NODES):
        z = cos(M_PI * (k + 0.75) / (NODES + 0.5))
        step = 1
        while fabs(step) > 1e-15:
            p0, p1 = 1, z
            for j in range(2, NODES + 1):
                p2 = ((2 * j - 1) * z * p1 - (j - 1) * p0) / j
                p0, p1 = p1, p2
            slope = NODES * (z * p1 - p0) / (z * z - 1)
            step = p1 / slope
            z -= step
        node[k] = (1 - z) / 2
        weight[k] = 1 / ((1 - z * z) * slope * slope)


fill_nodes()


cdef double stirling_error(double z) noexcept nogil:
    """ln Γ(z) minus Stirling's (z − ½) ln z − z + ½ ln 2π."""
    cdef double s
    if z < 16:
        return log_gamma(z) - (z - 0.5) * log(z) + z - HALF_LOG_2PI
    s = 1 / (z * z)
    return (1 / 12.0 - s * (1 / 360.0 - s * (1 / 1260.0 - s * (1 / 1680.0 - s / 1188.0)))) / z


cdef double deviance(double z, double excess, double ratio) noexcept nogil:
    """z ln(z/m) + m − z for m = z + excess = z · ratio, without cancellation where m is close to z."""
    cdef double e = excess / z, r, square, term, total
    cdef int k
    if fabs(e) > 0.3:
        return excess - z * log(ratio)
    r = e / (2 + e)
    square = r * r
    term = square
    total = 0
    for k in range(3, 40, 2):
        total += term / k
        term *= square
        if term < 1e-18:
            break
    return z * r * (e - 2 * total)


cdef double exponent(double s, double sign, double p, double n, double q) noexcept nogil:
    """How far the log-density has fallen at distance s in log-odds (n > 0), or in the logarithm (n = 0)."""
    cdef double e = expm1(sign * s)
    return (n * log1p(q * e) if n > 0 else q * e) - sign * p * s


cdef double tail_integral(double sign, double p, double n, double q) noexcept nogil:
    """∫₀^∞ exp(−exponent(s)) ds; the exponent is convex, increasing and 0 at 0."""
    cdef double slope, curve, s, value, e, low = 0, high = INFINITY, guess, total = 0
    cdef int _k
    slope = sign * ((n if n > 0 else 1) * q - p)
    curve = n * q * (1 - q) if n > 0 else q
    s = 2 * DEPTH / (slope + sqrt(slope * slope + 2 * curve * DEPTH))
    for _k in range(60):
        value = exponent(s, sign, p, n, q)
        if fabs(value - DEPTH) < 3:
            break
        if value < DEPTH:
            low = s
        else:
            high = s
        e = q * exp(sign * s)
        slope = sign * ((n * e / (1 + q * expm1(sign * s)) if n > 0 else e) - p)
        # Newton's method on the exponent's logarithm: it grows like a power or an exponential.
        guess = s - value * log(value / DEPTH) / slope if value > 1 and slope > 0 else 2 * s
        if not (low < guess < high):
            guess = (low + high) / 2 if high < INFINITY else 2 * s
        s = guess
    for k in range(NODES):
        total += weight[k] * exp(-exponent(s * node[k], sign, p, n, q))
    return s * total


cdef double beta_fraction(double a, double b, double x) noexcept nogil:
    """The continued fraction of the incomplete beta function, by Lentz's method, for x below the mean."""
    cdef double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d, t, change
    cdef int m
    for m in range(1, 1000):
        t = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + t * d)
        c = 1 + t / c
        h *= d * c
        t = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + t * d)
        c = 1 + t / c
        change = d * c
        h *= change
        if fabs(change - 1) < 1e-15:
            break
    return h


cdef double f_nearer_tail(double f, double d1, double d2) noexcept nogil:
    """P(F ≤ f) for f ≤ 1, as an incomplete beta function of a = d1/2 and b = d2/2."""
    cdef double a = d1 / 2, b = d2 / 2, n = a + b, odds = b / a
    cdef double x = f / (f + odds), y = odds / (f + odds), excess = b * (f - 1) / (f + odds), front
    front = sqrt(a * b / (2 * M_PI * n)) * exp(
        stirling_error(n) - stirling_error(a) - stirling_error(b)
        - deviance(a, excess, n * x / a) - deviance(b, -excess, n * y / b)
    )
    if a < LARGE:
        return front * beta_fraction(a, b, x) / a
    if y < 0.5:
        return front * tail_integral(1, b, n, y)
    return front * tail_integral(-1, a, n, x)


cdef double f_tail(double f, double d1, double d2, bint upper) noexcept nogil:
    """P(F > f) or P(F ≤ f) of the F distribution."""
    cdef double nearer
    if isnan(f) or not (d1 > 0 and d2 > 0):
        return NAN
    if f <= 0:
        return 1 if upper else 0
    if not isfinite(f):
        return 0 if upper else 1
    if f <= 1:
        nearer = f_nearer_tail(f, d1, d2)
        return 1 - nearer if upper else nearer
    nearer = f_nearer_tail(1 / f, d2, d1)
    return nearer if upper else 1 - nearer


cdef double f_two_sided(double f, double d1, double d2) noexcept nogil:
    """Twice the smaller tail: below α where f lies outside the α/2 and 1 − α/2 quantiles."""
    cdef double tail = f_tail(f, d1, d2, f > 1)
    return 2 * (tail if tail < 0.5 else 1 - tail)


cdef double signed_root(double k, double n, double x, double y) noexcept nogil:
    """±√(2 n H(k/n, x)), H the Kullback–Leibler divergence; positive where k/n > x."""
    cdef double divergence = k * log(k / (n * x)) + (n - k) * log((n - k) / (n * y))
    cdef double root = sqrt(2 * fmax(divergence, 0))
    return root if k > n * x else -root


cdef bint f_bracket(double f, double d1, double d2, double* low, double* high) noexcept nogil:
    """Bounds on the ζ for which P(F ≤ f) = P(normal > ζ), for the price of four logarithms.

    For whole a and b the incomplete beta function is a binomial tail, which Zubkov and Serov (2013)
    enclose between two normal tails; others lie between their whole neighbours, for the function falls
    with a and grows with b. The bounds are widened by 1e-6 for rounding. False where they do not apply.
    """
    cdef double a = d1 / 2, b = d2 / 2, odds, x, y
    if not (a >= 2 and b >= 2 and f > 0 and isfinite(f)):
        return False
    odds = b / a
    x = f / (f + odds)
    y = odds / (f + odds)
    if x < 1e-290 or y < 1e-290:
        return False
    low[0] = signed_root(floor(a) - 1, floor(a) + ceil(b) - 1, x, y) - 1e-6
    high[0] = signed_root(ceil(a), ceil(a) + floor(b) - 1, x, y) + 1e-6
    return True


cdef double gamma_fraction(double a, double x) noexcept nogil:
    """The continued fraction of the upper incomplete gamma function, for x ≥ a + 1."""
    cdef double b = x + 1 - a, c = INFINITY, d = 1 / b, h = d, t, change
    cdef int k
    for k in range(1, 2000):
        t = -k * (k - a)
        b += 2
        d = 1 / (t * d + b)
        c = b + t / c
        change = c * d
        h *= change
        if fabs(change - 1) < 1e-15:
            break
    return h


cdef double gamma_series(double a, double x) noexcept nogil:
    """1 + x/(a+1) + x²/((a+1)(a+2)) + …, for x < a + 1."""
    cdef double term = 1, total = 1
    cdef int k
    for k in range(1, 2000):
        term *= x / (a + k)
        total += term
        if term < 1e-17 * total:
            break
    return total


cdef double chi2_tail(double x, double df, bint upper) noexcept nogil:
    """P(χ² > x) or P(χ² ≤ x) with df degrees of freedom."""
    cdef double a = df / 2, front, tail
    cdef bint low
    if isnan(x) or not df > 0:
        return NAN
    if x <= 0:
        return 1 if upper else 0
    if not isfinite(x):
        return 0 if upper else 1
    x /= 2
    front = sqrt(a / (2 * M_PI)) * exp(-stirling_error(a) - deviance(a, x - a, x / a))
    low = x < a + 1 if a < LARGE else x < a
    if low:
        tail = gamma_series(a, x) / a if a < LARGE else tail_integral(-1, a, 0, x)
    else:
        tail = gamma_fraction(a, x) if a < LARGE else tail_integral(1, a, 0, x)
    tail *= front
    return 1 - tail if low == upper else tail


cdef double kolmogorov_tail(double square, bint series) noexcept nogil:
    """P(K > λ) of Kolmogorov's distribution for λ² = square, or the leading term 2 exp(−2λ²) up to 1."""
    cdef double q, total, root
    cdef int k
    if isnan(square):
        return NAN
    if not series:
        q = 2 * exp(-2 * square)
        return q if q < 1 else 1
    if square <= 0:
        return 1
    if square > 0.7:
        q = exp(-2 * square)
        total = q
        for k in range(2, 8):
            total += exp(-2 * square * k * k) * (1 if k % 2 else -1)
        return 2 * total
    root = M_PI * M_PI / (8 * square)
    total = 0
    for k in range(1, 12, 2):
        total += exp(-root * k * k)
    return 1 - sqrt(2 * M_PI / square) * total


def f_cdf(double f, double d1, double d2):
    """Return P(F ≤ f) of the F distribution with d1 and d2 degrees of freedom."""
    return f_tail(f, d1, d2, False)


def f_sf(double f, double d1, double d2):
    """Return P(F > f)."""
    return f_tail(f, d1, d2, True)


def f_p_value(double f, double d1, double d2):
    """Return the two-sided p-value of f."""
    return f_two_sided(f, d1, d2)


def f_normal_bounds(double f, double d1, double d2):
    """Return the cheap bounds on ζ with P(F ≤ f) = P(normal > ζ), or None where there are none."""
    cdef double low, high
    return (low, high) if f_bracket(f, d1, d2, &low, &high) else None


def chi2_sf(double x, double df):
    """Return P(χ² > x) with df degrees of freedom."""
    return chi2_tail(x, df, True)


def kolmogorov_sf(double square, bint series=True):
    """Return P(K > √square) of Kolmogorov's distribution, or its leading term."""
    return kolmogorov_tail(square, series)


def bisected(falling, double tail, double low, double high):
    """Return where a falling function equals `tail`, between two logarithms, to the last digits."""
    cdef double middle
    cdef int _k
    for _k in range(200):
        middle = (low + high) / 2
        if not (low < middle < high):
            break
        if falling(exp(middle)) > tail:
            low = middle
        else:
            high = middle
    return exp((low + high) / 2)


def f_critical(double tail, double d1, double d2):
    """Return the f that F exceeds with probability `tail`; its inverse with d1 and d2 exchanged is the
    one that F falls below with that probability."""
    return bisected(lambda f: f_tail(f, d1, d2, True), tail, -700, 700)


def chi2_critical(double tail, double df):
    """Return the x that χ² exceeds with probability `tail`."""
    return bisected(lambda x: chi2_tail(x, df, True), tail, -700, 700)


def kolmogorov_critical(double tail, bint series=True):
    """Return the λ² for which the Kolmogorov tail is `tail`."""
    if not series:
        return -log(tail / 2) / 2
    return bisected(lambda square: kolmogorov_tail(square, True), tail, -20, 20)


def normal_critical(double tail):
    """Return the ζ ≥ 0 that a normal variable exceeds with probability `tail` ≤ ½."""
    return bisected(lambda z: erfc(z / sqrt(2.0)) / 2, tail, -60, 4)
