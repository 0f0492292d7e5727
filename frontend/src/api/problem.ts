/** What a refused request answers: problem details (RFC 9457) with a stable `code`. */
type Problem = {
  title: string
  status: number
  code: string
  detail?: string
  errors?: { field: string; detail: string }[]
}

/** A request that failed. `status` 0: the server could not be reached. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly errors: readonly { field: string; detail: string }[]
  /** Seconds after which it may be tried again, if the server stated them. */
  readonly retryAfter: number | null

  constructor(problem: Problem, retryAfter: number | null = null) {
    super(problem.detail ?? problem.title)
    this.name = 'ApiProblem'
    this.status = problem.status
    this.code = problem.code
    this.errors = problem.errors ?? []
    this.retryAfter = retryAfter
  }

  static async of(response: Response): Promise<ApiProblem> {
    const wait = Number(response.headers.get('Retry-After') ?? Number.NaN)
    return new ApiProblem(await problemIn(response), Number.isFinite(wait) ? wait : null)
  }

  static unreachable(): ApiProblem {
    return new ApiProblem({
      title: 'Unreachable',
      status: 0,
      code: 'unreachable',
      detail: 'The server cannot be reached.',
    })
  }

  /** Returns the error of a field of the request; "strategy.stages.0" also finds errors of its fields. */
  about(field: string): string | undefined {
    const found = this.errors.filter((error) => error.field === field || error.field.startsWith(`${field}.`))
    return found.length > 0 ? found.map((error) => error.detail).join(' ') : undefined
  }

  /** What the person can do about it, as a sentence. */
  get nextStep(): string {
    return NEXT_STEPS[this.code] ?? NEXT_STEPS[this.status] ?? (this.status >= 500 ? NEXT_STEPS.fault : '') ?? ''
  }
}

/** Returns whether it would be refused again, unlike when the server was away, busy or at fault. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 429
}

/** Returns whether the error replaces known data, which remain useful while the server is away. */
export function displaces(error: unknown, known: unknown): boolean {
  return Boolean(error) && (known === undefined || isRefusal(error))
}

const NEXT_STEPS: Record<string | number, string> = {
  0: 'Check your connection, then try again.',
  401: 'Log in and try again.',
  403: 'Ask an owner of the scenario or app for the required role.',
  404: 'It may have been removed, or you may not have a role there.',
  409: 'Review the current state, then decide again.',
  412: 'Somebody changed it in the meantime. Review the current state, then decide again.',
  429: 'Wait a moment, then try again.',
  503: 'Try again in a moment.',
  fault: 'Try again. If it fails again, check the server’s log.',
}

async function problemIn(response: Response): Promise<Problem> {
  const known: Problem = {
    title: response.statusText || 'Error',
    status: response.status,
    code: String(response.status),
  }
  try {
    return { ...known, ...((await response.json()) as Partial<Problem>) }
  } catch {
    return known
  }
}
