/** The configuration of a node: environment variables, read and checked once at the start. variables.ts lists all of them. */
export { type Config, ConfigError, type GrpcTls, helpText, readConfig } from './config.ts';
export { isBehindProxy } from './exposure.ts';
export { isLoopback, secretKeys as readSecretKeys, tokenKeys as readTokenKeys } from './values.ts';
