/** Commands that empty places offer to copy; what stands in capitals is to be replaced. */

/** Devices of an app that run on this machine. */
export function emulateCommand(server: string, app = 'APP'): string {
  return `python -m walle.device.emulator --server ${server} --app ${app} --app-key KEY --store ./devices`
}

export function releaseCommand(app = 'APP', appVersion = 'APP_VERSION'): string {
  return `walle release create SCENARIO/TASK VERSION --app ${app} --app-version ${appVersion}`
}
