import t from 'tap';
import { checkIsolation } from './isolation.ts';

await checkIsolation(t, 'quick');
