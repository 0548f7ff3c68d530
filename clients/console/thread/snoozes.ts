/** Until when a thread may be put off, as an operator thinks of it, in the operator's zone. */
export interface Snooze {
  readonly name: 'hour' | 'evening' | 'tomorrow' | 'week';
  readonly until: Date;
}

const hourMs = 3_600_000;
const [evening, morning] = [18, 9];

/** In order. The evening is offered while it is more than an hour away. */
export function listSnoozes(now: Date): readonly Snooze[] {
  const at = (days: number, hours: number): Date =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours);
  const anHour = new Date(now.getTime() + hourMs);
  const snoozes: Snooze[] = [{ name: 'hour', until: anHour }];
  if (anHour < at(0, evening)) snoozes.push({ name: 'evening', until: at(0, evening) });
  snoozes.push({ name: 'tomorrow', until: at(1, morning) }, { name: 'week', until: at(7, morning) });
  return snoozes;
}
