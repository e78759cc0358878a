// How often something that ends by itself is started again.

/** At most so many times within a span; then somebody has to look. */
export class Restarts {
  private times: number[] = [];

  constructor(
    private readonly most: number,
    private readonly milliseconds: number,
  ) {}

  /** It has ended, at this time: may it be started again? */
  allowed(now: number): boolean {
    this.times = [...this.times.filter(time => now - time < this.milliseconds), now];
    return this.times.length <= this.most;
  }
}
