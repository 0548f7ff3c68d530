import t from 'tap';
import { checkPermissions } from './permissions.ts';

await checkPermissions(t, 'full');
