import t from 'tap';
import { checkFields } from './fields.ts';

await checkFields(t, 'full');
