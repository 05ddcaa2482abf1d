/**
 * Time zones of Windows and Outlook: name in the registry, IANA zone from CLDR's windowsZones (territory 001), and the
 * places that several Windows editions show, separated by semicolons.
 */
export const WINDOWS_ZONES: readonly (readonly [name: string, iana: string, places: string])[] = [
  ['Dateline Standard Time', 'Etc/GMT+12', 'International Date Line West'],
  ['UTC-11', 'Etc/GMT+11', 'Coordinated Universal Time-11'],
  ['Aleutian Standard Time', 'America/Adak', 'Aleutian Islands'],
  ['Hawaiian Standard Time', 'Pacific/Honolulu', 'Hawaii'],
  ['Marquesas Standard Time', 'Pacific/Marquesas', 'Marquesas Islands'],
  ['Alaskan Standard Time', 'America/Anchorage', 'Alaska'],
  ['UTC-09', 'Etc/GMT+9', 'Coordinated Universal Time-09'],
  ['Pacific Standard Time (Mexico)', 'America/Tijuana', 'Baja California'],
  ['UTC-08', 'Etc/GMT+8', 'Coordinated Universal Time-08'],
  ['Pacific Standard Time', 'America/Los_Angeles', 'Pacific Time (US & Canada)'],
  ['US Mountain Standard Time', 'America/Phoenix', 'Arizona'],
  ['Mountain Standard Time (Mexico)', 'America/Mazatlan', 'La Paz, Mazatlan; Chihuahua, La Paz, Mazatlan'],
  ['Mountain Standard Time', 'America/Denver', 'Mountain Time (US & Canada)'],
  ['Yukon Standard Time', 'America/Whitehorse', 'Yukon'],
  ['Central America Standard Time', 'America/Guatemala', 'Central America'],
  ['Central Standard Time', 'America/Chicago', 'Central Time (US & Canada)'],
  ['Easter Island Standard Time', 'Pacific/Easter', 'Easter Island'],
  ['Central Standard Time (Mexico)', 'America/Mexico_City', 'Guadalajara, Mexico City, Monterrey'],
  ['Canada Central Standard Time', 'America/Regina', 'Saskatchewan'],
  ['SA Pacific Standard Time', 'America/Bogota', 'Bogota, Lima, Quito, Rio Branco; Bogota, Lima, Quito'],
  ['Eastern Standard Time (Mexico)', 'America/Cancun', 'Chetumal'],
  ['Eastern Standard Time', 'America/New_York', 'Eastern Time (US & Canada)'],
  ['Haiti Standard Time', 'America/Port-au-Prince', 'Haiti'],
  ['Cuba Standard Time', 'America/Havana', 'Havana'],
  ['US Eastern Standard Time', 'America/Indiana/Indianapolis', 'Indiana (East)'],
  ['Turks And Caicos Standard Time', 'America/Grand_Turk', 'Turks and Caicos'],
  ['Paraguay Standard Time', 'America/Asuncion', 'Asuncion'],
  ['Atlantic Standard Time', 'America/Halifax', 'Atlantic Time (Canada)'],
  ['Venezuela Standard Time', 'America/Caracas', 'Caracas'],
  ['Central Brazilian Standard Time', 'America/Cuiaba', 'Cuiaba'],
  ['SA Western Standard Time', 'America/La_Paz', 'Georgetown, La Paz, Manaus, San Juan'],
  ['Pacific SA Standard Time', 'America/Santiago', 'Santiago'],
  ['Newfoundland Standard Time', 'America/St_Johns', 'Newfoundland'],
  ['Tocantins Standard Time', 'America/Araguaina', 'Araguaina'],
  ['E. South America Standard Time', 'America/Sao_Paulo', 'Brasilia'],
  ['SA Eastern Standard Time', 'America/Cayenne', 'Cayenne, Fortaleza'],
  ['Argentina Standard Time', 'America/Argentina/Buenos_Aires', 'City of Buenos Aires; Buenos Aires'],
  ['Greenland Standard Time', 'America/Nuuk', 'Greenland'],
  ['Montevideo Standard Time', 'America/Montevideo', 'Montevideo'],
  ['Magallanes Standard Time', 'America/Punta_Arenas', 'Punta Arenas'],
  ['Saint Pierre Standard Time', 'America/Miquelon', 'Saint Pierre and Miquelon'],
  ['Bahia Standard Time', 'America/Bahia', 'Salvador'],
  ['UTC-02', 'Etc/GMT+2', 'Coordinated Universal Time-02'],
  ['Mid-Atlantic Standard Time', 'Etc/GMT+2', 'Mid-Atlantic; Mid-Atlantic - Old'],
  ['Azores Standard Time', 'Atlantic/Azores', 'Azores'],
  ['Cape Verde Standard Time', 'Atlantic/Cape_Verde', 'Cabo Verde Is.; Cape Verde Is.'],
  ['UTC', 'Etc/UTC', 'Coordinated Universal Time'],
  [
    'GMT Standard Time',
    'Europe/London',
    'Dublin, Edinburgh, Lisbon, London; Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London',
  ],
  ['Greenwich Standard Time', 'Atlantic/Reykjavik', 'Monrovia, Reykjavik'],
  ['Sao Tome Standard Time', 'Africa/Sao_Tome', 'Sao Tome'],
  ['Morocco Standard Time', 'Africa/Casablanca', 'Casablanca'],
  ['W. Europe Standard Time', 'Europe/Berlin', 'Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna'],
  ['Central Europe Standard Time', 'Europe/Budapest', 'Belgrade, Bratislava, Budapest, Ljubljana, Prague'],
  ['Romance Standard Time', 'Europe/Paris', 'Brussels, Copenhagen, Madrid, Paris'],
  ['Central European Standard Time', 'Europe/Warsaw', 'Sarajevo, Skopje, Warsaw, Zagreb'],
  ['W. Central Africa Standard Time', 'Africa/Lagos', 'West Central Africa'],
  ['Namibia Standard Time', 'Africa/Windhoek', 'Windhoek'],
  ['Jordan Standard Time', 'Asia/Amman', 'Amman'],
  ['GTB Standard Time', 'Europe/Bucharest', 'Athens, Bucharest; Athens, Bucharest, Istanbul'],
  ['Middle East Standard Time', 'Asia/Beirut', 'Beirut'],
  ['Egypt Standard Time', 'Africa/Cairo', 'Cairo'],
  ['E. Europe Standard Time', 'Europe/Chisinau', 'Chisinau'],
  ['Syria Standard Time', 'Asia/Damascus', 'Damascus'],
  ['West Bank Standard Time', 'Asia/Hebron', 'Gaza, Hebron'],
  ['South Africa Standard Time', 'Africa/Johannesburg', 'Harare, Pretoria'],
  [
    'FLE Standard Time',
    'Europe/Kiev',
    'Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius; Helsinki, Kiev, Riga, Sofia, Tallinn, Vilnius',
  ],
  ['Israel Standard Time', 'Asia/Jerusalem', 'Jerusalem'],
  ['South Sudan Standard Time', 'Africa/Juba', 'Juba'],
  ['Kaliningrad Standard Time', 'Europe/Kaliningrad', 'Kaliningrad'],
  ['Sudan Standard Time', 'Africa/Khartoum', 'Khartoum'],
  ['Libya Standard Time', 'Africa/Tripoli', 'Tripoli'],
  ['Arabic Standard Time', 'Asia/Baghdad', 'Baghdad'],
  ['Turkey Standard Time', 'Europe/Istanbul', 'Istanbul'],
  ['Arab Standard Time', 'Asia/Riyadh', 'Kuwait, Riyadh'],
  ['Belarus Standard Time', 'Europe/Minsk', 'Minsk'],
  ['Russian Standard Time', 'Europe/Moscow', 'Moscow, St. Petersburg; Moscow, St. Petersburg, Volgograd'],
  ['E. Africa Standard Time', 'Africa/Nairobi', 'Nairobi'],
  ['Volgograd Standard Time', 'Europe/Volgograd', 'Volgograd'],
  ['Iran Standard Time', 'Asia/Tehran', 'Tehran'],
  ['Arabian Standard Time', 'Asia/Dubai', 'Abu Dhabi, Muscat'],
  ['Astrakhan Standard Time', 'Europe/Astrakhan', 'Astrakhan, Ulyanovsk'],
  ['Azerbaijan Standard Time', 'Asia/Baku', 'Baku'],
  ['Russia Time Zone 3', 'Europe/Samara', 'Izhevsk, Samara'],
  ['Mauritius Standard Time', 'Indian/Mauritius', 'Port Louis'],
  ['Saratov Standard Time', 'Europe/Saratov', 'Saratov'],
  ['Georgian Standard Time', 'Asia/Tbilisi', 'Tbilisi'],
  ['Caucasus Standard Time', 'Asia/Yerevan', 'Yerevan'],
  ['Afghanistan Standard Time', 'Asia/Kabul', 'Kabul'],
  ['West Asia Standard Time', 'Asia/Tashkent', 'Ashgabat, Tashkent'],
  ['Ekaterinburg Standard Time', 'Asia/Yekaterinburg', 'Ekaterinburg'],
  ['Pakistan Standard Time', 'Asia/Karachi', 'Islamabad, Karachi'],
  ['Qyzylorda Standard Time', 'Asia/Qyzylorda', 'Qyzylorda; Astana'],
  ['India Standard Time', 'Asia/Kolkata', 'Chennai, Kolkata, Mumbai, New Delhi'],
  ['Sri Lanka Standard Time', 'Asia/Colombo', 'Sri Jayawardenepura'],
  ['Nepal Standard Time', 'Asia/Kathmandu', 'Kathmandu'],
  ['Central Asia Standard Time', 'Asia/Bishkek', 'Bishkek'],
  ['Bangladesh Standard Time', 'Asia/Dhaka', 'Dhaka'],
  ['Omsk Standard Time', 'Asia/Omsk', 'Omsk'],
  ['Myanmar Standard Time', 'Asia/Yangon', 'Yangon (Rangoon)'],
  ['SE Asia Standard Time', 'Asia/Bangkok', 'Bangkok, Hanoi, Jakarta'],
  ['Altai Standard Time', 'Asia/Barnaul', 'Barnaul, Gorno-Altaysk'],
  ['W. Mongolia Standard Time', 'Asia/Hovd', 'Hovd'],
  ['North Asia Standard Time', 'Asia/Krasnoyarsk', 'Krasnoyarsk'],
  ['N. Central Asia Standard Time', 'Asia/Novosibirsk', 'Novosibirsk'],
  ['Tomsk Standard Time', 'Asia/Tomsk', 'Tomsk'],
  ['China Standard Time', 'Asia/Shanghai', 'Beijing, Chongqing, Hong Kong, Urumqi'],
  ['North Asia East Standard Time', 'Asia/Irkutsk', 'Irkutsk'],
  ['Singapore Standard Time', 'Asia/Singapore', 'Kuala Lumpur, Singapore'],
  ['W. Australia Standard Time', 'Australia/Perth', 'Perth'],
  ['Taipei Standard Time', 'Asia/Taipei', 'Taipei'],
  ['Ulaanbaatar Standard Time', 'Asia/Ulaanbaatar', 'Ulaanbaatar'],
  ['North Korea Standard Time', 'Asia/Pyongyang', 'Pyongyang'],
  ['Aus Central W. Standard Time', 'Australia/Eucla', 'Eucla'],
  ['Transbaikal Standard Time', 'Asia/Chita', 'Chita'],
  ['Tokyo Standard Time', 'Asia/Tokyo', 'Osaka, Sapporo, Tokyo'],
  ['Korea Standard Time', 'Asia/Seoul', 'Seoul'],
  ['Yakutsk Standard Time', 'Asia/Yakutsk', 'Yakutsk'],
  ['Cen. Australia Standard Time', 'Australia/Adelaide', 'Adelaide'],
  ['AUS Central Standard Time', 'Australia/Darwin', 'Darwin'],
  ['E. Australia Standard Time', 'Australia/Brisbane', 'Brisbane'],
  ['AUS Eastern Standard Time', 'Australia/Sydney', 'Canberra, Melbourne, Sydney'],
  ['West Pacific Standard Time', 'Pacific/Port_Moresby', 'Guam, Port Moresby'],
  ['Tasmania Standard Time', 'Australia/Hobart', 'Hobart'],
  ['Vladivostok Standard Time', 'Asia/Vladivostok', 'Vladivostok'],
  ['Lord Howe Standard Time', 'Australia/Lord_Howe', 'Lord Howe Island'],
  ['Bougainville Standard Time', 'Pacific/Bougainville', 'Bougainville Island'],
  ['Russia Time Zone 10', 'Asia/Srednekolymsk', 'Chokurdakh'],
  ['Magadan Standard Time', 'Asia/Magadan', 'Magadan'],
  ['Norfolk Standard Time', 'Pacific/Norfolk', 'Norfolk Island'],
  ['Sakhalin Standard Time', 'Asia/Sakhalin', 'Sakhalin'],
  ['Central Pacific Standard Time', 'Pacific/Guadalcanal', 'Solomon Is., New Caledonia'],
  ['Russia Time Zone 11', 'Asia/Kamchatka', 'Anadyr, Petropavlovsk-Kamchatsky'],
  ['New Zealand Standard Time', 'Pacific/Auckland', 'Auckland, Wellington'],
  ['UTC+12', 'Etc/GMT-12', 'Coordinated Universal Time+12'],
  ['Fiji Standard Time', 'Pacific/Fiji', 'Fiji'],
  ['Kamchatka Standard Time', 'Asia/Kamchatka', 'Petropavlovsk-Kamchatsky - Old'],
  ['Chatham Islands Standard Time', 'Pacific/Chatham', 'Chatham Islands'],
  ['UTC+13', 'Etc/GMT-13', 'Coordinated Universal Time+13'],
  ['Tonga Standard Time', 'Pacific/Tongatapu', "Nuku'alofa"],
  ['Samoa Standard Time', 'Pacific/Apia', 'Samoa'],
  ['Line Islands Standard Time', 'Pacific/Kiritimati', 'Kiritimati Island'],
];

/** Ignores everything but letters and digits, because programs differ in blanks, quotes and case. */
const toKey = (name: string): string => name.toLowerCase().replaceAll(/\band\b|[^a-z0-9+]/g, '');

const ianaByName = new Map(
  WINDOWS_ZONES.flatMap(([name, iana, places]) => {
    const daylightName = name.replace(/ Standard Time\b/, ' Daylight Time');
    return [name, daylightName, ...places.split(';')].map((windowsName) => [toKey(windowsName), iana] as const);
  }),
);

/** `(UTC-05:00) `, `(GMT+01.00) ` in front of the places that Windows shows. */
const OFFSET_PREFIX = /^\s*\((?:UTC|GMT)\s*(?:[+-]\d{1,2}[:.]?\d{2})?\)\s*/i;

/** Zones by place. Most places are spelled alike in other languages of Windows. */
const ianaByPlace = new Map(
  WINDOWS_ZONES.flatMap(([, iana, places]) =>
    places.split(/[,;:]/).map((place) => [toKey(place), iana] as const),
  ).toReversed(),
);

/** Returns the zone of most of the places after an offset. Undefined if none is known. */
function findZoneOfPlaces(places: string): string | undefined {
  const candidates = places.split(/[,;:]/).flatMap((place) => ianaByPlace.get(toKey(place)) ?? []);
  const count = (iana: string): number => candidates.filter((candidate) => candidate === iana).length;
  return candidates.toSorted((one, other) => count(other) - count(one))[0];
}

/** Returns the IANA name of a Windows or Outlook zone, or undefined. */
export function findWindowsZone(name: string): string | undefined {
  const plain = name.replace(/^tzone:\/\/Microsoft\//i, '').replace(OFFSET_PREFIX, '');
  const zoneName = ianaByName.get(toKey(plain)) ?? ianaByName.get(toKey(plain.split('/').at(-1) ?? ''));
  return zoneName ?? (OFFSET_PREFIX.test(name) ? findZoneOfPlaces(plain) : undefined);
}
