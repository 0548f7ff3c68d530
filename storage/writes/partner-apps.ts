/** Partner apps, as channels take them into use. */
import { statement, type Write } from '../statements/index.ts';

const use = statement(
  'partner_app.use',
  13,
  { partner_app_credential_id: 'text' },
  input => `
    with rows as materialized (select * from ${input}), held as materialized (
      select p.partner_app_credential_id from partner_apps p
      where p.partner_app_credential_id in (select partner_app_credential_id from rows) and p.status = 'active'
      for share of p
    )
    select skein_fence('partner_app', array(
      select partner_app_credential_id from rows except select partner_app_credential_id from held))`,
);

/**
 * Keeps a partner app from being revoked until the commit, after which the channel's row does. One that is revoked makes the commit fail
 * with `Duplicate('partner_app', '')`.
 */
export function usePartnerApp(partnerAppCredentialId: string): Write {
  return { statement: use, claim: partnerAppCredentialId, values: [partnerAppCredentialId] };
}
