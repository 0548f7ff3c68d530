import t from 'tap';
import { checkEvents } from './events.ts';

await checkEvents(t, 'quick');
