import t from 'tap';
import fc from '../../support/fuzz.ts';
import { randomBytes } from 'node:crypto';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { SealBroken, Vault } from '../../../storage/secrets/vault.ts';

const key = (kid: string) => `${kid}:${randomBytes(32).toString('base64')}`;
const [a, b, c] = [key('a'), key('b'), key('c')];
const vault = new Vault(new KeyRing(a));

t.test('a key ring names its fault and shows no key', async t => {
  t.throws(() => new KeyRing(''), { message: /kid:base64/ });
  t.throws(() => new KeyRing(`${a},${a}`), { message: 'secret key a appears twice' });
  const short = randomBytes(31).toString('base64');
  t.throws(() => new KeyRing(`x:${short}`), { message: 'secret key x has to be 32 bytes in base64' });
  t.throws(() => new KeyRing(`${a.slice(0, 10)}*${a.slice(10)}`), { message: /secret key a/ });
  try {
    new KeyRing(`${a},y:${short}`);
    t.fail('a short key was taken');
  } catch (error) {
    t.notOk(String(error).includes(short), 'the message does not show it');
  }
  t.equal(new KeyRing(` ${a} , ${b}`).newest.kid, 'a');
});

t.test('opens what was sealed, in its place only', async t => {
  await t.resolves(
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.string(),
        async (secret, here, there) => {
          fc.pre(here !== there && secret.isWellFormed());
          const jwe = await vault.seal(here, secret);
          if ((await vault.open(here, jwe)) !== secret) return false;
          return await vault.open(there, jwe).then(
            () => false,
            (error: unknown) => error instanceof SealBroken,
          );
        },
      ),
      { numRuns: 50 },
    ),
  );
});

t.test('an edited text does not open, wherever the edit is', async t => {
  const jwe = await vault.seal('stitches/stitch_1/secret', 'whsec_secret');
  await t.resolves(
    fc.assert(
      fc.asyncProperty(fc.nat(jwe.length - 1), fc.constantFrom(...'AQgw-._x'), async (at, letter) => {
        const edited = jwe.slice(0, at) + letter + jwe.slice(at + 1);
        fc.pre(edited !== jwe);
        // The last character of a part has unused bits: another spelling of the same bytes is not an edit.
        const bytes = (text: string) =>
          text
            .split('.')
            .map(part => Buffer.from(part, 'base64').toString('hex'))
            .join('.');
        fc.pre(bytes(edited) !== bytes(jwe));
        return await vault.open('stitches/stitch_1/secret', edited).then(
          () => false,
          (error: unknown) => error instanceof SealBroken,
        );
      }),
      { numRuns: 200 },
    ),
  );
  for (const text of ['', 'x', '....', jwe.slice(0, -1), `${jwe}x`]) {
    await t.rejects(vault.open('stitches/stitch_1/secret', text), { name: 'SealBroken' });
  }
});

t.test('says the same secret differently each time', async t => {
  t.not(await vault.seal('x', 'secret'), await vault.seal('x', 'secret'));
});

t.test('a rotated ring opens the old and seals with the new', async t => {
  const old = await vault.seal('x', 'secret');
  const rotated = new Vault(new KeyRing(`${b},${a}`));
  t.equal(await rotated.open('x', old), 'secret');
  const renewed = await rotated.seal('x', 'secret');
  t.equal(await new Vault(new KeyRing(b)).open('x', renewed), 'secret');
  await t.rejects(new Vault(new KeyRing(c)).open('x', old), { name: 'SealBroken', context: 'x' });
});

t.test('what does not open is counted, and what opens is not', async t => {
  let broken = 0;
  const counting = new Vault(new KeyRing(b), () => broken++);
  await counting.open('x', await counting.seal('x', 'secret'));
  t.equal(broken, 0);
  await t.rejects(counting.open('x', await vault.seal('x', 'secret')), { name: 'SealBroken' });
  await t.rejects(counting.open('y', await counting.seal('x', 'secret')), { name: 'SealBroken' });
  t.equal(broken, 2, 'a key that is missing, and another row');
});
