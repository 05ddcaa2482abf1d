import { findNewest } from '#platform/server/backup/backups.ts';
import type { BackupService, BackupState } from '#platform/server/backup/backupService.ts';
import type { MetricsGauge } from '#platform/server/operations/health.ts';
import type { DiskMonitor } from '#platform/server/storage/diskSpace.ts';

/** Figures about the disk for the metrics. */
export function createDiskGauges(disk: DiskMonitor): readonly MetricsGauge[] {
  return [
    { name: 'pegboard_disk_free_bytes', help: 'Free space of the data folder.', read: disk.getFreeBytes },
    {
      name: 'pegboard_disk_warning_bytes',
      help: 'Free space below which the owner is warned.',
      read: disk.getWarningBytes,
    },
    {
      name: 'pegboard_disk_full',
      help: '1 while writes are refused because the disk is full.',
      read: () => (disk.acceptsDeferrableWrites() ? 0 : 1),
    },
  ];
}

/** Figures about backups for the metrics. */
export function createBackupGauges(backups: BackupService, now: () => Temporal.Instant): readonly MetricsGauge[] {
  let reading: Promise<BackupState> | undefined;
  /** All gauges of one scrape share the state, because it is read from the disk. */
  function readState(): Promise<BackupState> {
    reading ??= backups.getState().finally(() => {
      reading = undefined;
    });
    return reading;
  }
  const getAge = (time: Temporal.Instant | undefined): number | undefined =>
    time && Math.round(time.until(now()).total('seconds'));
  return [
    {
      name: 'pegboard_backup_age_seconds',
      help: 'Age of the newest backup.',
      read: async () => getAge(findNewest((await readState()).backups, now())?.created),
    },
    {
      name: 'pegboard_backup_bytes',
      help: 'Size of the newest backup, with the files that it shares with earlier ones.',
      read: async () => findNewest((await readState()).backups, now())?.bytes,
    },
    {
      name: 'pegboard_backup_failed',
      help: '1 if the last attempt to make a backup failed.',
      read: async () => ((await readState()).failure ? 1 : 0),
    },
    {
      name: 'pegboard_backup_copy_age_seconds',
      help: 'Time since the newest backup was copied.',
      read: async () => getAge((await readState()).copies?.newest?.time),
    },
    {
      name: 'pegboard_backup_copy_failed',
      help: '1 if the last attempt to copy a backup failed.',
      read: async () => {
        const { copies } = await readState();
        return copies && (copies.failure ? 1 : 0);
      },
    },
  ];
}
