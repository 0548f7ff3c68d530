/** The frame of the pages of a project and its environment. */
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { rememberEnvironment } from '../../kit/shell/environments.ts';
import { OpenPalette } from '../palette/open-palette.tsx';
import { useTexts } from '../texts/index.ts';
import { ArchivedNotice } from './archived-notice.tsx';
import { Frame, Searching } from './frame.tsx';
import { Nav } from './nav.tsx';
import { NoSuchPlace } from './no-such-place.tsx';
import { TenantProvider, useFindTenant } from './tenant.tsx';

export function TenantFrame() {
  const params = useParams({ from: '/signed-in/$projectId/$environmentId' });
  const texts = useTexts().shell;
  const tenant = useFindTenant(params);
  useEffect(() => {
    if (tenant != null) rememberEnvironment(tenant);
  }, [tenant]);
  if (tenant === undefined) return <Searching />;
  if (tenant === null) {
    return <NoSuchPlace title={texts.noSuchPlace} hint={texts.noSuchPlaceHint} elsewhere={texts.elsewhere} />;
  }
  // Of one environment nothing is shown in another.
  return (
    <TenantProvider key={`${tenant.projectId}/${tenant.environmentId}`} tenant={tenant}>
      <Frame
        me={tenant.me}
        nav={onChosen => <Nav onChosen={onChosen} />}
        search={<OpenPalette />}
        notice={tenant.isArchived && <ArchivedNotice text={texts.projectArchived} />}
      />
    </TenantProvider>
  );
}
