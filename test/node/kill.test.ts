/** What a node has acknowledged survives kill -9. */
import t from 'tap';
import { killUnderLoad } from './kills.ts';

t.test('three times SIGKILL under load', t => killUnderLoad(t, [60, 1, 25]));
