import t from 'tap';
import { provokeErrors } from './errors.ts';

await provokeErrors(t, 'full');
