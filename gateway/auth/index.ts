/**
 * Credentials. `Authenticator` tells who sends a REST request, by API key (`KeyVerifier`) or access token (`AccessTokens`);
 * `ServiceTokens` tells internal services apart. Beside them stands what signing in needs: passwords, the refresh cookie, and who may
 * sign up.
 */
export { accessTokenSeconds, AccessTokens, parseTokenKeys, type RequestSource } from './access-tokens.ts';
export { Authenticator, KeyVerifier } from './authenticate.ts';
export { InstanceAdmins } from './instance-admins.ts';
export { checkNewPassword } from './new-passwords.ts';
export { Passwords } from './passwords.ts';
export { RefreshCookie } from './refresh-cookie.ts';
export { parseServiceToken, parseToken, ServiceTokens, type ServiceToken } from './service-tokens.ts';
export { SignUpPolicy } from './sign-up-policy.ts';
