/** How the gateway answers what accounts, sessions and tokens do not allow. */
export { refuseAccount } from './refusals.ts';
