/** Project and environment. Production looks like nothing else. */
import { Select } from '@mantine/core';
import { useKitTexts } from '../texts/index.ts';
import { type EnvironmentChoice, rememberEnvironment, useEnvironments } from './environments.ts';
import classes from './environment-select.module.css';

type EnvironmentIds = Pick<EnvironmentChoice, 'projectId' | 'environmentId'>;

interface EnvironmentSelectProps {
  readonly place: EnvironmentIds;
  readonly onChosen: (place: EnvironmentIds) => void;
}

const toValue = ({ projectId, environmentId }: EnvironmentIds): string => `${projectId}/${environmentId}`;

export function EnvironmentSelect({ place, onChosen }: EnvironmentSelectProps) {
  const texts = useKitTexts().shell;
  const { data: places = [] } = useEnvironments();
  const current = places.find(each => toValue(each) === toValue(place));
  return (
    <div className={classes['place']} data-production={current?.isProduction || undefined}>
      <Select
        size="xs"
        aria-label={texts.place}
        allowDeselect={false}
        scrollAreaProps={{ scrollbars: 'y' }}
        classNames={{ option: classes['option'] }}
        searchable={places.length > 8}
        value={toValue(place)}
        data={places.map(each => ({
          value: toValue(each),
          label: `${each.projectName} · ${each.environmentName}`,
        }))}
        onChange={value => {
          const chosen = places.find(each => toValue(each) === value);
          if (chosen === undefined) return;
          rememberEnvironment(chosen);
          onChosen(chosen);
        }}
      />
      <span className={classes['kind']}>
        {current?.isProduction === true ? texts.production : texts.sandbox}
      </span>
    </div>
  );
}
