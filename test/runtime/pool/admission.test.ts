/** Whatever requests come and go: the limits hold, nobody's permits are lost, and who needs few waits for nobody. */
import fc from 'fast-check';
import t from 'tap';
import { Admission } from '../../../runtime/pool/admission.ts';

const limits = { maxInFlight: 24, maxPerOrigin: 8, maxWaiting: 12 };

interface Request {
  readonly owner: string;
  readonly origin: string;
}

/** Requests at an admission, and what is in flight by its own account. */
class Traffic {
  readonly admission = new Admission(limits);
  readonly inFlight: Request[] = [];
  readonly waiting: { readonly request: Request; readonly controller: AbortController }[] = [];
  refused = 0;

  async come(request: Request): Promise<void> {
    const { owner, origin } = request;
    if (this.admission.tryEnter(owner, origin)) {
      this.inFlight.push(request);
    } else if (this.admission.tryWait(owner)) {
      const entry = { request, controller: new AbortController() };
      this.waiting.push(entry);
      void this.admission.enter(owner, origin, entry.controller.signal).then(
        () => this.inFlight.push(...this.#leaveQueue(entry)),
        () => this.#leaveQueue(entry),
      );
    } else this.refused++;
    await new Promise(setImmediate);
  }

  #leaveQueue(entry: (typeof this.waiting)[number]): Request[] {
    this.waiting.splice(this.waiting.indexOf(entry), 1);
    return [entry.request];
  }

  async end(index: number): Promise<void> {
    const [request] = this.inFlight.splice(index % Math.max(1, this.inFlight.length), 1);
    if (request !== undefined) this.admission.leave(request.owner, request.origin);
    await new Promise(setImmediate);
  }

  async giveUp(index: number): Promise<void> {
    this.waiting[index % Math.max(1, this.waiting.length)]?.controller.abort(new Error('given up'));
    await new Promise(setImmediate);
  }

  count(matches: (request: Request) => boolean): number {
    return this.inFlight.filter(matches).length;
  }
}

const name = (letters: string) => fc.constantFrom(...letters);
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('come' as const), owner: name('abc'), origin: name('xyzuvw') }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), index: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('giveUp' as const), index: fc.nat(100) }) },
  ),
  { maxLength: 120, size: 'max' },
);

t.test('the limits hold, and no permit is lost', async t => {
  await fc.assert(
    fc.asyncProperty(steps, async steps => {
      const traffic = new Traffic();
      for (const step of steps) {
        if (step.do === 'come') await traffic.come(step);
        else await traffic[step.do](step.index);
        check(traffic);
      }
      while (traffic.inFlight.length > 0) await traffic.end(0);
      if (traffic.waiting.length > 0) throw new Error('somebody waits for nobody');
      await expectMost(traffic, 12, i => `https://${i}`);
      for (const origin of 'xyzuvw') await expectMost(traffic, 4, () => origin);
    }),
    { numRuns: 200 },
  );
  t.pass('200 runs');
});

/** One owner alone gets as many permits as it did in the beginning. */
async function expectMost(
  traffic: Traffic,
  most: number,
  getOrigin: (index: number) => string,
): Promise<void> {
  for (let i = 0; i < limits.maxInFlight; i++) await traffic.come({ owner: 'a', origin: getOrigin(i) });
  if (traffic.inFlight.length !== most)
    throw new Error(`${traffic.inFlight.length} of ${most} permits are left`);
  for (const { controller } of [...traffic.waiting]) controller.abort(new Error('enough'));
  while (traffic.inFlight.length > 0) await traffic.end(0);
}

function check(traffic: Traffic): void {
  const { inFlight } = traffic;
  if (inFlight.length > limits.maxInFlight) throw new Error('too many');
  for (const { owner, origin } of inFlight) {
    if (traffic.count(each => each.owner === owner) > 12) throw new Error('an owner has more than half');
    if (traffic.count(each => each.origin === origin) > 8) throw new Error('an origin has too many');
    const own = traffic.count(each => each.owner === owner && each.origin === origin);
    if (own > 4) throw new Error('an owner has more than half of the connections to an origin');
  }
  if (inFlight.length < limits.maxInFlight && !traffic.admission.tryEnter('newcomer', 'https://new'))
    throw new Error('a newcomer has to wait');
  if (inFlight.length < limits.maxInFlight) traffic.admission.leave('newcomer', 'https://new');
}

t.test(
  'an owner whose receivers never answer slows down neither another one nor its own other receivers',
  async t => {
    const traffic = new Traffic();
    for (let i = 0; i < 100; i++) await traffic.come({ owner: 'a', origin: `https://hole-${i % 50}` });
    t.equal(traffic.inFlight.length, 12);
    t.ok(traffic.refused > 0, 'the room to wait is bounded, too');
    for (let i = 0; i < 6; i++) await traffic.come({ owner: 'b', origin: 'https://hole-1' });
    t.equal(
      traffic.count(({ owner }) => owner === 'b'),
      4,
      'half of the connections to that origin, and of what is free',
    );

    const one = new Traffic();
    for (let i = 0; i < 20; i++) await one.come({ owner: 'a', origin: 'https://hole' });
    t.equal(one.inFlight.length, 4, 'one origin has a part of the share');
    await one.come({ owner: 'a', origin: 'https://good' });
    t.equal(one.inFlight.length, 5);
  },
);
