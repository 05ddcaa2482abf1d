/** Names of Windows and the IANA zones that they are (CLDR's windowsZones, territory 001). */
const ZONES = `Dateline Standard Time=Etc/GMT+12|UTC-11=Etc/GMT+11|Aleutian Standard Time=America/Adak|Hawaiian Standard Time=Pacific/Honolulu
Marquesas Standard Time=Pacific/Marquesas|Alaskan Standard Time=America/Anchorage|UTC-09=Etc/GMT+9|Pacific Standard Time (Mexico)=America/Tijuana
UTC-08=Etc/GMT+8|Pacific Standard Time=America/Los_Angeles|US Mountain Standard Time=America/Phoenix|Mountain Standard Time (Mexico)=America/Mazatlan
Mountain Standard Time=America/Denver|Yukon Standard Time=America/Whitehorse|Central America Standard Time=America/Guatemala
Central Standard Time=America/Chicago|Easter Island Standard Time=Pacific/Easter|Central Standard Time (Mexico)=America/Mexico_City
Canada Central Standard Time=America/Regina|SA Pacific Standard Time=America/Bogota|Eastern Standard Time (Mexico)=America/Cancun
Eastern Standard Time=America/New_York|Haiti Standard Time=America/Port-au-Prince|Cuba Standard Time=America/Havana
US Eastern Standard Time=America/Indiana/Indianapolis|Turks And Caicos Standard Time=America/Grand_Turk|Paraguay Standard Time=America/Asuncion
Atlantic Standard Time=America/Halifax|Venezuela Standard Time=America/Caracas|Central Brazilian Standard Time=America/Cuiaba
SA Western Standard Time=America/La_Paz|Pacific SA Standard Time=America/Santiago|Newfoundland Standard Time=America/St_Johns
Tocantins Standard Time=America/Araguaina|E. South America Standard Time=America/Sao_Paulo|SA Eastern Standard Time=America/Cayenne
Argentina Standard Time=America/Buenos_Aires|Greenland Standard Time=America/Godthab|Montevideo Standard Time=America/Montevideo
Magallanes Standard Time=America/Punta_Arenas|Saint Pierre Standard Time=America/Miquelon|Bahia Standard Time=America/Bahia|UTC-02=Etc/GMT+2
Azores Standard Time=Atlantic/Azores|Cape Verde Standard Time=Atlantic/Cape_Verde|UTC=UTC|GMT Standard Time=Europe/London
Greenwich Standard Time=Atlantic/Reykjavik|Sao Tome Standard Time=Africa/Sao_Tome|Morocco Standard Time=Africa/Casablanca
W. Europe Standard Time=Europe/Berlin|Central Europe Standard Time=Europe/Budapest|Romance Standard Time=Europe/Paris
Central European Standard Time=Europe/Warsaw|W. Central Africa Standard Time=Africa/Lagos|Jordan Standard Time=Asia/Amman
GTB Standard Time=Europe/Bucharest|Middle East Standard Time=Asia/Beirut|Egypt Standard Time=Africa/Cairo|E. Europe Standard Time=Europe/Chisinau
Syria Standard Time=Asia/Damascus|West Bank Standard Time=Asia/Hebron|South Africa Standard Time=Africa/Johannesburg
FLE Standard Time=Europe/Kiev|Israel Standard Time=Asia/Jerusalem|South Sudan Standard Time=Africa/Juba|Kaliningrad Standard Time=Europe/Kaliningrad
Sudan Standard Time=Africa/Khartoum|Libya Standard Time=Africa/Tripoli|Namibia Standard Time=Africa/Windhoek|Arabic Standard Time=Asia/Baghdad
Turkey Standard Time=Europe/Istanbul|Arab Standard Time=Asia/Riyadh|Belarus Standard Time=Europe/Minsk|Russian Standard Time=Europe/Moscow
E. Africa Standard Time=Africa/Nairobi|Iran Standard Time=Asia/Tehran|Arabian Standard Time=Asia/Dubai|Astrakhan Standard Time=Europe/Astrakhan
Azerbaijan Standard Time=Asia/Baku|Russia Time Zone 3=Europe/Samara|Mauritius Standard Time=Indian/Mauritius|Saratov Standard Time=Europe/Saratov
Georgian Standard Time=Asia/Tbilisi|Volgograd Standard Time=Europe/Volgograd|Caucasus Standard Time=Asia/Yerevan
Afghanistan Standard Time=Asia/Kabul|West Asia Standard Time=Asia/Tashkent|Ekaterinburg Standard Time=Asia/Yekaterinburg
Pakistan Standard Time=Asia/Karachi|Qyzylorda Standard Time=Asia/Qyzylorda|India Standard Time=Asia/Calcutta|Sri Lanka Standard Time=Asia/Colombo
Nepal Standard Time=Asia/Katmandu|Central Asia Standard Time=Asia/Bishkek|Bangladesh Standard Time=Asia/Dhaka|Omsk Standard Time=Asia/Omsk
Myanmar Standard Time=Asia/Rangoon|SE Asia Standard Time=Asia/Bangkok|Altai Standard Time=Asia/Barnaul|W. Mongolia Standard Time=Asia/Hovd
North Asia Standard Time=Asia/Krasnoyarsk|N. Central Asia Standard Time=Asia/Novosibirsk|Tomsk Standard Time=Asia/Tomsk
China Standard Time=Asia/Shanghai|North Asia East Standard Time=Asia/Irkutsk|Singapore Standard Time=Asia/Singapore
W. Australia Standard Time=Australia/Perth|Taipei Standard Time=Asia/Taipei|Ulaanbaatar Standard Time=Asia/Ulaanbaatar
Aus Central W. Standard Time=Australia/Eucla|Transbaikal Standard Time=Asia/Chita|Tokyo Standard Time=Asia/Tokyo
North Korea Standard Time=Asia/Pyongyang|Korea Standard Time=Asia/Seoul|Yakutsk Standard Time=Asia/Yakutsk
Cen. Australia Standard Time=Australia/Adelaide|AUS Central Standard Time=Australia/Darwin|E. Australia Standard Time=Australia/Brisbane
AUS Eastern Standard Time=Australia/Sydney|West Pacific Standard Time=Pacific/Port_Moresby|Tasmania Standard Time=Australia/Hobart
Vladivostok Standard Time=Asia/Vladivostok|Lord Howe Standard Time=Australia/Lord_Howe|Bougainville Standard Time=Pacific/Bougainville
Russia Time Zone 10=Asia/Srednekolymsk|Magadan Standard Time=Asia/Magadan|Norfolk Standard Time=Pacific/Norfolk
Sakhalin Standard Time=Asia/Sakhalin|Central Pacific Standard Time=Pacific/Guadalcanal|Russia Time Zone 11=Asia/Kamchatka
New Zealand Standard Time=Pacific/Auckland|UTC+12=Etc/GMT-12|Fiji Standard Time=Pacific/Fiji|Kamchatka Standard Time=Asia/Kamchatka
Chatham Islands Standard Time=Pacific/Chatham|UTC+13=Etc/GMT-13|Tonga Standard Time=Pacific/Tongatapu|Samoa Standard Time=Pacific/Apia
Line Islands Standard Time=Pacific/Kiritimati|Mid-Atlantic Standard Time=Etc/GMT+2|Mexico Standard Time=America/Mexico_City`;

/** What Windows and Outlook show instead of those names, where no city of it is an IANA zone's. */
const SHOWN = `International Date Line West=Etc/GMT+12|Midway Island, Samoa=Pacific/Midway|Aleutian Islands=America/Adak|Hawaii=Pacific/Honolulu
Marquesas Islands=Pacific/Marquesas|Alaska=America/Anchorage|Baja California=America/Tijuana|Pacific Time (US & Canada)=America/Los_Angeles
Pacific Time (US & Canada); Tijuana=America/Los_Angeles|Arizona=America/Phoenix|Chihuahua, La Paz, Mazatlan=America/Mazatlan
La Paz, Mazatlan=America/Mazatlan|Mountain Time (US & Canada)=America/Denver|Yukon=America/Whitehorse|Central America=America/Guatemala
Central Time (US & Canada)=America/Chicago|Guadalajara, Mexico City, Monterrey=America/Mexico_City|Saskatchewan=America/Regina
Bogota, Lima, Quito, Rio Branco=America/Bogota|Chetumal=America/Cancun|Eastern Time (US & Canada)=America/New_York
Indiana (East)=America/Indiana/Indianapolis|Atlantic Time (Canada)=America/Halifax|Georgetown, La Paz, Manaus, San Juan=America/La_Paz
Newfoundland=America/St_Johns|Brasilia=America/Sao_Paulo|Greenland=America/Godthab|City of Buenos Aires=America/Buenos_Aires
Saint Pierre and Miquelon=America/Miquelon|Salvador=America/Bahia|Cayenne, Fortaleza=America/Cayenne|Cabo Verde Is.=Atlantic/Cape_Verde
Cape Verde Is.=Atlantic/Cape_Verde|Coordinated Universal Time=UTC|Dublin, Edinburgh, Lisbon, London=Europe/London
Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London=Europe/London|Greenwich Mean Time=Europe/London|Greenwich Mean Time; Dublin, Edinburgh, London=Europe/London
Monrovia, Reykjavik=Atlantic/Reykjavik|Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna=Europe/Berlin|Amsterdam, Berlin, Bern, Rome, Stockholm, Prague=Europe/Berlin
Belgrade, Bratislava, Budapest, Ljubljana, Prague=Europe/Budapest|Brussels, Copenhagen, Madrid, Paris=Europe/Paris
Sarajevo, Skopje, Warsaw, Zagreb=Europe/Warsaw|West Central Africa=Africa/Lagos|Athens, Bucharest=Europe/Bucharest|Harare, Pretoria=Africa/Johannesburg
Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius=Europe/Kiev|Gaza, Hebron=Asia/Hebron|Kuwait, Riyadh=Asia/Riyadh
Moscow, St. Petersburg=Europe/Moscow|Moscow, St. Petersburg, Volgograd=Europe/Moscow|Abu Dhabi, Muscat=Asia/Dubai|Izhevsk, Samara=Europe/Samara
Port Louis=Indian/Mauritius|Ashgabat, Tashkent=Asia/Tashkent|Islamabad, Karachi=Asia/Karachi|Chennai, Kolkata, Mumbai, New Delhi=Asia/Calcutta
Sri Jayawardenepura=Asia/Colombo|Kathmandu=Asia/Katmandu|Yangon (Rangoon)=Asia/Rangoon|Bangkok, Hanoi, Jakarta=Asia/Bangkok
Barnaul, Gorno-Altaysk=Asia/Barnaul|Beijing, Chongqing, Hong Kong, Urumqi=Asia/Shanghai|Kuala Lumpur, Singapore=Asia/Singapore
Osaka, Sapporo, Tokyo=Asia/Tokyo|Canberra, Melbourne, Sydney=Australia/Sydney|Guam, Port Moresby=Pacific/Port_Moresby
Bougainville Island=Pacific/Bougainville|Norfolk Island=Pacific/Norfolk|Solomon Is., New Caledonia=Pacific/Guadalcanal
Anadyr, Petropavlovsk-Kamchatsky=Asia/Kamchatka|Auckland, Wellington=Pacific/Auckland|Chatham Islands=Pacific/Chatham
Nuku'alofa=Pacific/Tongatapu|Samoa=Pacific/Apia|Kiritimati Island=Pacific/Kiritimati`;

const tableOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(/[|\n]/).map((pair) => {
      const [name = '', zone = ''] = pair.split('=');
      return [name.toLowerCase(), zone] as const;
    }),
  );
const zones = tableOf(ZONES);
const shown = tableOf(SHOWN);

/** `+0500`, `-5`, `+05:30` behind UTC or GMT, in hours and minutes. */
const OFFSET = /^(?:UTC|GMT)?\s*([+-])(\d{1,2})(?::?(\d\d))?$/i;

/** A zone that is always so far from UTC, of `GMT-0500` and the like; undefined where IANA has none. */
const fixedZone = (text: string): string | undefined => {
  const [, sign, hours, minutes = '00'] = OFFSET.exec(text) ?? [];
  if (hours === undefined || minutes !== '00' || Number(hours) > 14) return undefined;
  // IANA counts the other way round.
  return Number(hours) === 0 ? 'UTC' : `Etc/GMT${sign === '-' ? '+' : '-'}${Number(hours)}`;
};

const REGIONS = ['Europe', 'America', 'Asia', 'Africa', 'Australia', 'Pacific', 'Atlantic', 'Indian'];

/** Names of IANA zones that a name of another calendar may mean, the likeliest first; they need not exist. */
export const zonesMeantBy = (written: string): readonly string[] => {
  const name = written
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  const parts = name.split('/').filter((part) => part !== '');
  const last = parts.slice(-3);
  const ending = name.includes('/') ? last.map((_part, at) => last.slice(at).join('/')) : [name];
  const plain = name.replace(/^\/*tzone:\/+Microsoft\/+/i, '').replaceAll('_', ' ');
  const label = plain.replace(/^\((?:UTC|GMT)[^)]*\)\s*/i, '');
  const bracketed = /^\(((?:UTC|GMT)[^)]*)\)/i.exec(plain)?.[1];
  const cities = label
    .split(/\s*[,;]\s*/)
    .flatMap((city) => REGIONS.map((region) => `${region}/${city.replaceAll(' ', '_')}`));
  const known = [plain, label, plain.replace(/ (?:Daylight|Summer) Time$/i, ' Standard Time')].flatMap(
    (each) => zones.get(each.toLowerCase()) ?? shown.get(each.toLowerCase()) ?? [],
  );
  return [
    ...known,
    ...ending,
    ...(/^[\w .'-]+(?:[,;]|$)/.test(label) ? cities : []),
    ...[plain, bracketed ?? ''].flatMap((each) => fixedZone(each) ?? []),
    ...(/^\(?(?:UTC|GMT|Coordinated Universal Time)\)?$/i.test(bracketed ?? plain) ? ['UTC'] : []),
  ];
};
