import fc from '../../support/fuzz.ts';
import t from 'tap';
import { Queue, type Linked } from '../../../runtime/actor/turn.ts';

class Member implements Linked<Member> {
  next: Member | undefined = undefined;
  readonly n: number;
  constructor(n: number) {
    this.n = n;
  }
}

t.test('a queue does what an array does', async t => {
  const step = fc.oneof(
    fc.constant('push' as const),
    fc.constant('shift' as const),
    fc.integer({ min: 0, max: 3 }),
  );
  fc.assert(
    fc.property(fc.array(step), steps => {
      const queue = new Queue<Member>();
      const model: number[] = [];
      let n = 0;
      for (const step of steps) {
        if (step === 'push') {
          queue.push(new Member(++n));
          model.push(n);
        } else if (step === 'shift') {
          if (queue.shift()?.n !== model.shift()) return false;
        } else {
          const other = new Queue<Member>();
          const members = Array.from({ length: step }, () => new Member(++n));
          for (const member of members) other.push(member);
          queue.prepend(other);
          model.unshift(...members.map(member => member.n));
          if (other.size !== 0 || other.head !== undefined) return false;
        }
        if (queue.size !== model.length || queue.head?.n !== model[0]) return false;
      }
      return model.every(expected => queue.shift()?.n === expected) && queue.shift() === undefined;
    }),
    { seed: 1 },
  );
  t.pass('over 100 runs');
});

t.test('a member that left takes no other with it', async t => {
  const queue = new Queue<Member>();
  const [first, second] = [new Member(1), new Member(2)];
  queue.push(first);
  queue.push(second);
  t.equal(queue.shift(), first);
  t.equal(first.next, undefined);
  queue.push(first);
  t.strictSame([queue.shift()?.n, queue.shift()?.n, queue.shift()], [2, 1, undefined]);
});
