import t from 'tap';
import { checkRepetition } from './repetition.ts';

await checkRepetition(t, 'full');
