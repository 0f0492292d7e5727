import { CopyText } from '@/components/CopyText'
import { Panel } from '@/components/Page'
import { emulateCommand } from '@/lib/commands'
import classes from './places.module.css'

/** The next step of an app that no device can join yet. */
export function FirstDevice({ app }: { app: string }) {
  return (
    <Panel title="Next: let devices come">
      <ol className={classes.steps}>
        <li>
          <span>Create an app key below, and put it into the app as it is built: devices enrol with it.</span>
        </li>
        <li>
          <span>Or try it with emulated devices, and the key in place of KEY</span>
          <CopyText block text={emulateCommand(location.origin, app)} label="command: emulate devices" />
        </li>
        <li>
          <span>Declare the versions of the app that you ship, so that releases can be for them</span>
          <CopyText
            block
            text={`walle api POST /apps/${app}/versions -f version=1.0.0`}
            label="command: declare a version"
          />
        </li>
      </ol>
    </Panel>
  )
}
