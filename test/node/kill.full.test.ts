/** What a node has acknowledged survives kill -9, in every phase of its life. */
import t from 'tap';
import { killUnderLoad } from './kills.ts';

t.test('eight times SIGKILL under load', t => killUnderLoad(t, [60, 1, 90, 3, 40, 150, 1, 25]));
