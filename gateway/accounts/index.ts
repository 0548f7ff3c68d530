/** How the gateway answers what accounts, sessions and tokens do not allow, and how it names the devices of sessions. */
export { describeDevice } from './device.ts';
export { refuseAccount } from './refusals.ts';
