/** Names of those who have given none. */
import t from 'tap';
import { toReadableName } from '../../../clients/kit/people/readable-name.ts';

t.test('what stands before the @ of an address reads like a name', async t => {
  for (const [given, shown] of [
    ['ines.moreau', 'Ines Moreau'],
    ['jean-luc.picard', 'Jean-Luc Picard'],
    ['anna_maria.öztürk', 'Anna Maria Öztürk'],
  ] as const)
    t.equal(toReadableName(given), shown);
});

t.test('what somebody has written stays', async t => {
  for (const name of ['Ada Byron', 'ada', 'J.R.R.', 'bell hooks', 'operator-1a2b', 'ines.moreau2', '.', ''])
    t.equal(toReadableName(name), name);
});
