/** For somebody who finds nothing because a workspace demands a second factor, which they do not have. */
import { Alert, Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../app-identity.ts';
import { skein } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';

/** More workspaces than one person has. */
const mostWorkspaces = 100;

/** The names of the workspaces that demand one; none where the user has one. */
async function findDemands(): Promise<readonly string[]> {
  const [workspaces, { enabled, passkeys }] = await Promise.all([
    skein.workspaces.list({ limit: 100 }).toArray(mostWorkspaces),
    skein.secondFactor.get(),
  ]);
  return enabled || passkeys > 0
    ? []
    : workspaces.filter(each => each.requiresSecondFactor).map(({ name }) => name);
}

export default function SecondFactorHint() {
  const texts = useKitTexts().account.secondFactorHint;
  const { path } = useApp();
  const { data: names = [] } = useQuery({ queryKey: ['second-factor-demands'], queryFn: findDemands });
  if (names.length === 0) return null;
  return (
    <Alert color="yellow" role="status">
      <p>{texts.about(names.join(', '))}</p>
      {/* Loaded anew: what was refused before is asked for again. */}
      <Anchor href={`${path}/account`} size="sm">
        {texts.setUp}
      </Anchor>
    </Alert>
  );
}
