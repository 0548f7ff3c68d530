/** Project and environment. Production looks like nothing else. */
import { ChevronsUpDown } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useKitTexts } from '../texts/index.ts';
import { type EnvironmentChoice, rememberEnvironment, useEnvironments } from './environments.ts';
import classes from './environment-select.module.css';

/** Not of the first load: what it is made of is large. Until it is there its place shows the same. */
const EnvironmentField = lazy(() => import('./environment-field.tsx'));

type EnvironmentIds = Pick<EnvironmentChoice, 'projectId' | 'environmentId'>;

interface EnvironmentSelectProps {
  readonly place: EnvironmentIds;
  readonly onChosen: (place: EnvironmentIds) => void;
}

const toValue = ({ projectId, environmentId }: EnvironmentIds): string => `${projectId}/${environmentId}`;
const toLabel = ({ projectName, environmentName }: EnvironmentChoice): string =>
  `${projectName} · ${environmentName}`;

const chevron = <ChevronsUpDown size={14} aria-hidden />;

export function EnvironmentSelect({ place, onChosen }: EnvironmentSelectProps) {
  const texts = useKitTexts().shell;
  const { data: places } = useEnvironments();
  const current = places?.find(each => toValue(each) === toValue(place));
  const still = (
    <div className={classes['still']}>
      <span className={classes['name']}>{current === undefined ? '' : toLabel(current)}</span>
      {chevron}
    </div>
  );
  return (
    <div className={classes['place']} data-production={current?.isProduction || undefined}>
      {places === undefined ? (
        still
      ) : (
        <Suspense fallback={still}>
          <EnvironmentField
            label={texts.place}
            chevron={chevron}
            value={toValue(place)}
            data={places.map(each => ({ value: toValue(each), label: toLabel(each) }))}
            onChosen={value => {
              const chosen = places.find(each => toValue(each) === value);
              if (chosen === undefined) return;
              rememberEnvironment(chosen);
              onChosen(chosen);
            }}
          />
        </Suspense>
      )}
      <span className={classes['kind']}>
        {current?.isProduction === true ? texts.production : texts.sandbox}
      </span>
    </div>
  );
}
