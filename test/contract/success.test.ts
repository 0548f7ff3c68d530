import t from 'tap';
import { checkSuccess } from './success.ts';

await checkSuccess(t, 'quick');
