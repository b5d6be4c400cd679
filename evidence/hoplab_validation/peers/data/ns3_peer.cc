// A scenario of hoplab in ns-3.37: reads a description, simulates, prints lines "HOPLAB key=value ...".
//
// Usage: ns3_peer FILE SEED. `ns3_text.py` writes the description: one statement a line, a word and its values in SI
// units. What the words mean stands in `read_statement`; one that is unknown ends the program with code 2.
//
// Receivers: a frame is followed from `cs_threshold` and `preamble_db` on, and readable from `rx_threshold` on. ns-3's
// preamble detection has one limit for both, so `Ear` notes the power of the frame that is followed, and the error
// model that is asked at its end refuses one below `rx_threshold`.
//
// Retries: with a data frame above the RTS threshold, ns-3.37 asks the counter of long frames whether a lost RTS is
// repeated, which only lost data frames move: it repeats an RTS for ever. `Station` applies the limit of short frames to
// them, as IEEE 802.11-1999 section 9.2.5.3 has it. `stock 1` leaves ns-3 as it is, here and at `Owing`.
//
// Rates: an ad hoc station of ns-3.37 takes every rate of a station that it meets for a basic one, and sends ACKs at the
// rate of their data. There is one rate for all frames here, so that this changes nothing.
//
// AODV: ns-3.37 looks a neighbor that the MAC has given up for in a list of those heard of late, which an originator of
// data does not keep: without hello messages it uses a broken first hop for ever. `on_drop` goes by the address instead;
// `stock 1` leaves ns-3 as it is. `feedback 0` takes either off the MAC, for which ns-3 has no attribute. Messages are
// counted where IP hands them to a device, from `mark` on.
//
// OLSR: ns-3.37 begins a group of links in a HELLO message for each neighbor. RFC 3626 section 6.1 has one for all links
// with the same code: `grouped` counts bytes as if it were so. Tables are printed at `sample` times, one character for each
// node and destination: the next hop (0-9, then a-z), or `-` without a route. `off` switches a radio off and on.
//
// HWMP: mesh points of the module `mesh`, all of whose access categories have the rules of the DCF. Path selection frames are
// counted as they begin on the air, without their repetitions; `bytes` are those behind the MAC header, without the check
// sum. Beacons and peering frames are not counted.

#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/dsdv-module.h"
#include "ns3/internet-module.h"
#include "ns3/mesh-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/olsr-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const double LIGHT_M_PER_S = 299792458.0;
const double PEER_LIGHT_M_PER_S = 3.0e8; // hoplab's and ns-2's
const double ARP_LIFE_S = 1.0e6;
const double SAMPLE_S = 0.1;

struct Place
{
    double x, y;
};

struct Move
{
    uint32_t node;
    double begin, end, x, y;
};

struct Hop
{
    uint32_t node, dst, next;
};

struct Off
{
    uint32_t node;
    double begin, end;
};

struct Neighbors
{
    uint32_t a, b;
};

struct Traffic
{
    uint32_t id, src, dst;
    std::string kind;
    uint32_t segment, window;
    double start, stop, rate, measured;
    uint64_t first_bytes = 0, bytes = 0;
    uint64_t sent = 0, repeated = 0, timeouts = 0;
    uint32_t highest = 0;
    uint64_t arrived = 0;
    double delay_sum = 0.0;
    double last_s = -1.0, gap_s = 0.0; // arrival of the last datagram, and the longest time between two
    double cwnd_sum = 0.0;
    uint64_t cwnd_count = 0;
    uint32_t cwnd = 0;
    Ptr<Socket> socket;
    Ptr<PacketSink> sink;
    Ptr<BulkSendApplication> source;
};

std::map<std::string, double> numbers;
std::map<std::string, std::string> words;
std::vector<Place> places;
std::vector<Move> moves;
std::vector<Hop> hops;
std::vector<Neighbors> neighbors;
std::vector<Off> offs;
std::map<uint32_t, std::vector<uint32_t>> radios; // by channel: nodes
std::vector<double> samples;
std::vector<Traffic> flows;
std::vector<std::pair<std::string, std::string>> settings;
uint64_t frames = 0;
std::map<std::string, uint64_t> control; // messages by kind

[[noreturn]] void
fail(const std::string& what)
{
    std::cerr << "ns3_peer: " << what << std::endl;
    std::exit(2);
}

const char* const NUMBERS[] = {"duration", "mark", "frequency", "height", "tx_power", "tx_gain_db", "rx_gain_db",
                               "system_loss", "rx_threshold", "cs_threshold", "least_power", "noise_figure_db",
                               "preamble_db", "relock_db", "rate", "rts_threshold", "ssrl", "slrl",
                               "cw_min", "cw_max", "queue_limit", "arp", "stock", "delayed_ack",
                               "delayed_ack_timeout", "min_rto", "initial_rto", "tick", "initial_window",
                               "limited_transmit", "frame_error_rate", "feedback"};

void
read_statement(const std::string& line)
{
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word.empty() || word[0] == '#')
    {
        return;
    }
    for (const char* name : NUMBERS)
    {
        if (word == name)
        {
            if (!(in >> numbers[word]))
            {
                fail("no number in: " + line);
            }
            return;
        }
    }
    bool ok = false;
    if (word == "propagation" || word == "routing" || word == "congestion")
    {
        ok = static_cast<bool>(in >> words[word]);
    }
    else if (word == "set") // an attribute of ns-3 and its value
    {
        std::string name, value;
        ok = static_cast<bool>(in >> name >> value);
        settings.emplace_back(name, value);
    }
    else if (word == "node")
    {
        Place p{};
        ok = static_cast<bool>(in >> p.x >> p.y);
        places.push_back(p);
    }
    else if (word == "move") // node, begin, end, and where it is then
    {
        Move m{};
        ok = static_cast<bool>(in >> m.node >> m.begin >> m.end >> m.x >> m.y);
        moves.push_back(m);
    }
    else if (word == "hop") // node, destination, next hop
    {
        Hop h{};
        ok = static_cast<bool>(in >> h.node >> h.dst >> h.next);
        hops.push_back(h);
    }
    else if (word == "off") // node, begin, end
    {
        Off o{};
        ok = static_cast<bool>(in >> o.node >> o.begin >> o.end);
        offs.push_back(o);
    }
    else if (word == "radio") // node and channel; without any, each node has one radio on one channel
    {
        uint32_t node{};
        uint32_t channel{};
        ok = static_cast<bool>(in >> node >> channel);
        radios[channel].push_back(node);
    }
    else if (word == "sample") // a time
    {
        double time{};
        ok = static_cast<bool>(in >> time);
        samples.push_back(time);
    }
    else if (word == "known") // one node that has the address of another without asking
    {
        Neighbors n{};
        ok = static_cast<bool>(in >> n.a >> n.b);
        neighbors.push_back(n);
    }
    else if (word == "flow") // id, ends, kind, bytes, segments, start, stop, bit/s, start of the measured window
    {
        Traffic t{};
        ok = static_cast<bool>(in >> t.id >> t.src >> t.dst >> t.kind >> t.segment >> t.window >> t.start >> t.stop >>
                               t.rate >> t.measured);
        flows.push_back(t);
    }
    else
    {
        fail("unknown statement: " + line);
    }
    if (!ok)
    {
        fail("too few values: " + line);
    }
}

double
number(const std::string& name)
{
    auto found = numbers.find(name);
    if (found == numbers.end())
    {
        fail("no statement " + name);
    }
    return found->second;
}

double
dbm(double watts)
{
    return 10.0 * std::log10(watts * 1000.0);
}

// What one receiver follows.
struct Heard
{
    double power_w = 0.0;
};

class Ear : public PreambleDetectionModel
{
  public:
    Ear(Heard* heard, double least_w, double least_ratio)
        : m_heard(heard),
          m_least_w(least_w),
          m_least_ratio(least_ratio)
    {
    }

    // `rssi` is in watts, whatever its name says.
    bool IsPreambleDetected(double rssi, double snr, double) const override
    {
        if (rssi < m_least_w || snr < m_least_ratio)
        {
            return false;
        }
        m_heard->power_w = rssi;
        return true;
    }

  private:
    Heard* m_heard;
    double m_least_w, m_least_ratio;
};

// Refuses frames that are too weak, and spoils others by chance.
class Reader : public ErrorModel
{
  public:
    Reader(const Heard* heard, double least_w, double rate)
        : m_heard(heard),
          m_least_w(least_w),
          m_rate(rate),
          m_chance(CreateObject<UniformRandomVariable>())
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet>) override
    {
        return m_heard->power_w < m_least_w || (m_rate > 0.0 && m_chance->GetValue() < m_rate);
    }

    void DoReset() override
    {
    }

    const Heard* m_heard;
    double m_least_w, m_rate;
    Ptr<UniformRandomVariable> m_chance;
};

class Station : public ConstantRateWifiManager
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("hoplab::Station").SetParent<ConstantRateWifiManager>().AddConstructor<Station>();
        return tid;
    }

  private:
    bool DoNeedRetransmission(WifiRemoteStation*, Ptr<const Packet>, bool normally) override
    {
        return normally && m_lost_rts < static_cast<uint32_t>(number("ssrl"));
    }

    void DoReportRtsFailed(WifiRemoteStation*) override
    {
        ++m_lost_rts;
    }

    void DoReportRtsOk(WifiRemoteStation*, double, WifiMode, double) override
    {
        m_lost_rts = 0;
    }

    void DoReportFinalRtsFailed(WifiRemoteStation*) override
    {
        m_lost_rts = 0;
    }

    uint32_t m_lost_rts = 0;
};

NS_OBJECT_ENSURE_REGISTERED(Station);

// A packet that comes for a station whose queue is empty, while the ACK of the frame that brought it is still to be sent:
// ns-3 asks whether the medium is busy, which it is not between the two, and sends it DIFS behind the ACK. But the medium
// does not remain idle for DIFS, so that a backoff is due (IEEE 802.11-2016 section 10.3.4.2).
struct Owing
{
    Ptr<Txop> txop;
    Time since = Seconds(-1.0); // when the last frame ended that is to be acknowledged
};

struct Opened : public Txop
{
    static uint32_t slots(const Txop& txop)
    {
        return (txop.*(&Opened::GetBackoffSlots))(0);
    }

    static void draw(Txop& txop)
    {
        (txop.*(&Opened::GenerateBackoff))(0);
    }
};

void
owe_ack(Owing* owing, Ptr<const Packet> frame)
{
    WifiMacHeader header;
    frame->PeekHeader(header);
    if (header.IsData() && !header.GetAddr1().IsGroup())
    {
        owing->since = Simulator::Now();
    }
}

void
back_off(Owing* owing)
{
    if (owing->txop->GetAccessStatus(0) == Txop::REQUESTED && Opened::slots(*owing->txop) == 0)
    {
        Opened::draw(*owing->txop);
    }
}

void
queue_packet(Owing* owing, Ptr<const Packet>)
{
    if (owing->since == Simulator::Now())
    {
        Simulator::ScheduleNow(&back_off, owing); // once it is in the queue
    }
}

void
count_frame(Ptr<const Packet>, double)
{
    ++frames;
}

std::string
mode_of(double rate)
{
    if (rate == 1e6)
    {
        return "DsssRate1Mbps";
    }
    if (rate == 2e6)
    {
        return "DsssRate2Mbps";
    }
    if (rate == 5.5e6)
    {
        return "DsssRate5_5Mbps";
    }
    if (rate == 11e6)
    {
        return "DsssRate11Mbps";
    }
    fail("no DSSS rate: " + std::to_string(rate));
}

// Attributes of each radio.
std::vector<std::pair<std::string, double>>
radio_values()
{
    return {{"TxPowerStart", dbm(number("tx_power"))},
            {"TxPowerEnd", dbm(number("tx_power"))},
            {"TxGain", number("tx_gain_db")},
            {"RxGain", number("rx_gain_db")},
            {"RxNoiseFigure", number("noise_figure_db")},
            {"CcaEdThreshold", dbm(number("cs_threshold"))},
            {"CcaSensitivity", dbm(number("cs_threshold"))},
            // The channel takes this limit per 20 MHz.
            {"RxSensitivity", dbm(number("least_power")) - 10.0 * std::log10(22.0 / 20.0)}};
}

bool
is_mesh()
{
    return words["routing"] == "hwmp";
}

// A message of HWMP, behind the header of its MAC.
void
count_mesh(Ptr<const Packet> packet, double)
{
    Ptr<Packet> rest = packet->Copy();
    WifiMacHeader header;
    rest->RemoveHeader(header);
    if (!header.IsAction() || header.IsRetry() || Simulator::Now().GetSeconds() < number("mark"))
    {
        return;
    }
    const uint32_t CHECK_SUM = 4;
    uint8_t start[3]; // category, action, element
    if (rest->CopyData(start, sizeof start) < sizeof start || start[0] != 13 || start[1] != 1)
    {
        return;
    }
    const std::map<uint8_t, const char*> names = {{130, "preq"}, {131, "prep"}, {132, "perr"}};
    auto name = names.find(start[2]);
    ++control[name == names.end() ? "other" : name->second];
    control["bytes"] += rest->GetSize() - CHECK_SUM;
}

// A mesh station. `MeshHelper` makes them only on channels of 5 GHz.
Ptr<WifiNetDevice>
make_station(const Ptr<Node>& node, const Ptr<YansWifiChannel>& channel, const ObjectFactory& managers)
{
    Ptr<WifiNetDevice> device = CreateObject<WifiNetDevice>();
    Ptr<YansWifiPhy> radio = CreateObject<YansWifiPhy>();
    radio->SetInterferenceHelper(CreateObject<InterferenceHelper>());
    radio->SetErrorRateModel(CreateObject<TableBasedErrorRateModel>());
    radio->SetDevice(device);
    radio->SetChannel(channel);
    for (const auto& [name, value] : radio_values())
    {
        radio->SetAttribute(name, DoubleValue(value));
    }
    radio->ConfigureStandard(WIFI_STANDARD_80211b);
    device->SetPhy(radio);
    node->AddDevice(device);
    device->SetRemoteStationManager(managers.Create<WifiRemoteStationManager>());
    ObjectFactory factory("ns3::MeshWifiInterfaceMac", "QosSupported", BooleanValue(true));
    Ptr<MeshWifiInterfaceMac> mac = factory.Create<MeshWifiInterfaceMac>();
    mac->SetDevice(device);
    mac->SetAddress(Mac48Address::Allocate());
    device->SetMac(mac);
    mac->SetMacQueueScheduler(CreateObject<FcfsWifiQueueScheduler>());
    mac->ConfigureStandard(WIFI_STANDARD_80211b);
    Ptr<WifiProtectionManager> protection = CreateObject<WifiDefaultProtectionManager>();
    protection->SetWifiMac(mac);
    mac->GetFrameExchangeManager()->SetProtectionManager(protection);
    Ptr<WifiAckManager> acks = CreateObject<WifiDefaultAckManager>();
    acks->SetWifiMac(mac);
    mac->GetFrameExchangeManager()->SetAckManager(acks);
    return device;
}

// The queue of data frames: that of best effort at a mesh point, all of whose categories contend as a DCF does.
Ptr<Txop>
queue_of(const Ptr<WifiMac>& mac)
{
    if (!is_mesh())
    {
        PointerValue txop;
        mac->GetAttribute("Txop", txop);
        return txop.Get<Txop>();
    }
    Ptr<Txop> queue;
    for (const char* name : {"VO_Txop", "VI_Txop", "BK_Txop", "BE_Txop"})
    {
        PointerValue txop;
        mac->GetAttribute(name, txop);
        queue = txop.Get<QosTxop>();
        queue->SetMinCw(static_cast<uint32_t>(number("cw_min")));
        queue->SetMaxCw(static_cast<uint32_t>(number("cw_max")));
        queue->SetAifsn(2);
        queue->SetTxopLimit(Seconds(0.0));
    }
    return queue;
}

// A mesh point over the station of each node.
NetDeviceContainer
make_points(const NodeContainer& nodes, const NetDeviceContainer& devices)
{
    NetDeviceContainer points;
    Ptr<Dot11sStack> stack = CreateObject<Dot11sStack>();
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        Ptr<MeshPointDevice> point = CreateObject<MeshPointDevice>();
        nodes.Get(i)->AddDevice(point);
        point->AddInterface(devices.Get(i));
        if (!stack->InstallStack(point))
        {
            fail("no mesh point can be made");
        }
        points.Add(point);
    }
    MeshHelper().AssignStreams(points, 0);
    return points;
}

// Devices of a channel of their own; `points` are those that IP sees.
NetDeviceContainer
make_devices(const NodeContainer& nodes, NetDeviceContainer* points, int64_t first_stream)
{
    Ptr<YansWifiChannel> channel = CreateObject<YansWifiChannel>();
    const double frequency = number("frequency") * LIGHT_M_PER_S / PEER_LIGHT_M_PER_S; // the same wavelength
    if (words["propagation"] == "two_ray")
    {
        Ptr<TwoRayGroundPropagationLossModel> loss = CreateObject<TwoRayGroundPropagationLossModel>();
        loss->SetFrequency(frequency);
        loss->SetSystemLoss(number("system_loss"));
        loss->SetHeightAboveZ(number("height"));
        channel->SetPropagationLossModel(loss);
    }
    else
    {
        Ptr<FriisPropagationLossModel> loss = CreateObject<FriisPropagationLossModel>();
        loss->SetFrequency(frequency);
        loss->SetSystemLoss(number("system_loss"));
        channel->SetPropagationLossModel(loss);
    }
    Ptr<ConstantSpeedPropagationDelayModel> delay = CreateObject<ConstantSpeedPropagationDelayModel>();
    delay->SetSpeed(PEER_LIGHT_M_PER_S);
    channel->SetPropagationDelayModel(delay);

    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    for (const auto& [name, value] : radio_values())
    {
        phy.Set(name, DoubleValue(value));
    }
    if (numbers.count("relock_db"))
    {
        phy.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel",
                                 "Margin", DoubleValue(number("relock_db")),
                                 "CaptureWindow", TimeValue(Seconds(1.0)));
    }
    const std::string manager = number("stock") != 0.0 ? "ns3::ConstantRateWifiManager" : "hoplab::Station";
    const StringValue rate(mode_of(number("rate")));
    Config::SetDefault("ns3::ConstantRateWifiManager::DataMode", rate);
    Config::SetDefault("ns3::ConstantRateWifiManager::ControlMode", rate);
    Config::SetDefault("ns3::WifiRemoteStationManager::NonUnicastMode", rate);
    for (const auto& [name, of_peer] : {std::pair("rts_threshold", "RtsCtsThreshold"),
                                        std::pair("ssrl", "MaxSsrc"),
                                        std::pair("slrl", "MaxSlrc")})
    {
        Config::SetDefault(std::string("ns3::WifiRemoteStationManager::") + of_peer,
                           UintegerValue(static_cast<uint32_t>(number(name))));
    }
    NetDeviceContainer devices;
    if (is_mesh())
    {
        for (uint32_t i = 0; i < nodes.GetN(); ++i)
        {
            devices.Add(make_station(nodes.Get(i), channel, ObjectFactory(manager)));
        }
        *points = make_points(nodes, devices);
    }
    else
    {
        WifiMacHelper mac;
        mac.SetType("ns3::AdhocWifiMac");
        WifiHelper wifi;
        wifi.SetStandard(WIFI_STANDARD_80211b);
        wifi.SetRemoteStationManager(manager);
        devices = wifi.Install(phy, mac, nodes);
        wifi.AssignStreams(devices, first_stream);
        *points = devices;
    }
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        Ptr<WifiNetDevice> device = DynamicCast<WifiNetDevice>(devices.Get(i));
        auto* heard = new Heard; // as long as the program
        Ptr<WifiPhy> radio = device->GetPhy();
        radio->SetPreambleDetectionModel(
            Create<Ear>(heard, number("cs_threshold"), std::pow(10.0, number("preamble_db") / 10.0)));
        radio->SetPostReceptionErrorModel(
            Create<Reader>(heard, number("rx_threshold"), number("frame_error_rate")));
        radio->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&count_frame));
        if (is_mesh())
        {
            radio->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&count_mesh));
        }
        Ptr<Txop> txop = queue_of(device->GetMac());
        txop->SetMinCw(static_cast<uint32_t>(number("cw_min")));
        txop->SetMaxCw(static_cast<uint32_t>(number("cw_max")));
        if (number("stock") == 0.0)
        {
            auto* owing = new Owing; // as long as the program
            owing->txop = txop;
            radio->TraceConnectWithoutContext("PhyRxEnd", MakeBoundCallback(&owe_ack, owing));
            device->GetMac()->TraceConnectWithoutContext("MacTx", MakeBoundCallback(&queue_packet, owing));
        }
    }
    return devices;
}

void
turn(Ptr<ConstantVelocityMobilityModel> model, Vector velocity)
{
    model->SetVelocity(velocity);
}

void
arrive(Ptr<ConstantVelocityMobilityModel> model, Vector place)
{
    model->SetPosition(place);
    model->SetVelocity(Vector(0.0, 0.0, 0.0));
}

void
place_nodes(const NodeContainer& nodes)
{
    Ptr<ListPositionAllocator> list = CreateObject<ListPositionAllocator>();
    for (const Place& p : places)
    {
        list->Add(Vector(p.x, p.y, 0.0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(list);
    mobility.SetMobilityModel(moves.empty() ? "ns3::ConstantPositionMobilityModel"
                                            : "ns3::ConstantVelocityMobilityModel");
    mobility.Install(nodes);
    std::vector<Place> here = places;
    for (const Move& m : moves)
    {
        auto model = nodes.Get(m.node)->GetObject<ConstantVelocityMobilityModel>();
        const double time = m.end - m.begin;
        if (time > 0.0)
        {
            Vector velocity((m.x - here[m.node].x) / time, (m.y - here[m.node].y) / time, 0.0);
            Simulator::Schedule(Seconds(m.begin), &turn, model, velocity);
        }
        Simulator::Schedule(Seconds(m.end), &arrive, model, Vector(m.x, m.y, 0.0));
        here[m.node] = {m.x, m.y};
    }
}

void
install_internet(const NodeContainer& nodes)
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    const std::string routing = words["routing"];
    if (routing == "aodv")
    {
        stack.SetRoutingHelper(AodvHelper());
    }
    else if (routing == "dsdv")
    {
        stack.SetRoutingHelper(DsdvHelper());
    }
    else if (routing == "olsr")
    {
        stack.SetRoutingHelper(OlsrHelper());
    }
    else
    {
        stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    }
    stack.Install(nodes);
    stack.AssignStreams(nodes, 1000000);
}

using Notice = void (aodv::RoutingProtocol::*)(WifiMacDropReason, Ptr<const WifiMpdu>);
using Breaker = void (aodv::RoutingProtocol::*)(Ipv4Address);
Notice notice_of_drop();
Breaker break_of_link();

// What the protocol does about dropped frames is private; an explicit instantiation may name it.
template <Notice NOTICE, Breaker BREAK>
struct Reached
{
    friend Notice notice_of_drop()
    {
        return NOTICE;
    }

    friend Breaker break_of_link()
    {
        return BREAK;
    }
};

template struct Reached<&aodv::RoutingProtocol::NotifyTxError,
                        &aodv::RoutingProtocol::SendRerrWhenBreaksLinkToNextHop>;

std::map<Mac48Address, Ipv4Address> address_of;

void
on_drop(Ptr<aodv::RoutingProtocol> protocol, WifiMacDropReason reason, Ptr<const WifiMpdu> frame)
{
    auto found = address_of.find(frame->GetHeader().GetAddr1());
    if (reason == WIFI_MAC_DROP_REACHED_RETRY_LIMIT && found != address_of.end())
    {
        (PeekPointer(protocol)->*break_of_link())(found->second);
    }
}

void
count_control(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t interface)
{
    Ptr<Packet> rest = packet->Copy();
    Ipv4Header ip;
    UdpHeader udp;
    aodv::TypeHeader type;
    rest->RemoveHeader(ip);
    if (interface == 0 || ip.GetProtocol() != UdpL4Protocol::PROT_NUMBER || ip.GetFragmentOffset() != 0 ||
        Simulator::Now().GetSeconds() < number("mark"))
    {
        return;
    }
    rest->RemoveHeader(udp);
    if (udp.GetDestinationPort() != aodv::RoutingProtocol::AODV_PORT)
    {
        return;
    }
    rest->RemoveHeader(type);
    if (type.Get() == aodv::AODVTYPE_RREQ)
    {
        ++control["rreq"];
    }
    else if (type.Get() == aodv::AODVTYPE_RERR)
    {
        ++control["rerr"];
    }
    else if (type.Get() == aodv::AODVTYPE_RREP)
    {
        aodv::RrepHeader reply;
        rest->RemoveHeader(reply);
        ++control[reply.GetDst() == reply.GetOrigin() ? "hello" : "rrep"];
    }
    else
    {
        ++control["other"];
    }
}

void
count_olsr(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t interface)
{
    Ptr<Packet> rest = packet->Copy();
    Ipv4Header ip;
    UdpHeader udp;
    olsr::PacketHeader header;
    rest->RemoveHeader(ip);
    if (interface == 0 || ip.GetProtocol() != UdpL4Protocol::PROT_NUMBER || Simulator::Now().GetSeconds() < number("mark"))
    {
        return;
    }
    rest->RemoveHeader(udp);
    if (udp.GetDestinationPort() != olsr::RoutingProtocol::OLSR_PORT_NUMBER)
    {
        return;
    }
    ++control["packets"];
    control["bytes"] += packet->GetSize();
    control["grouped"] += packet->GetSize();
    rest->RemoveHeader(header);
    while (rest->GetSize() > 0)
    {
        olsr::MessageHeader message;
        rest->RemoveHeader(message);
        const bool is_hello = message.GetMessageType() == olsr::MessageHeader::HELLO_MESSAGE;
        const bool is_mid = message.GetMessageType() == olsr::MessageHeader::MID_MESSAGE;
        ++control[is_hello ? "hello" : is_mid ? "mid" : "tc"];
        if (is_hello)
        {
            std::set<uint8_t> codes;
            for (const auto& group : message.GetHello().linkMessages)
            {
                codes.insert(group.linkCode);
            }
            control["grouped"] -= 4 * (message.GetHello().linkMessages.size() - codes.size());
        }
    }
}

char
digit(uint32_t node)
{
    return static_cast<char>(node < 10 ? '0' + node : 'a' + (node - 10));
}

void
print_tables(NodeContainer nodes)
{
    std::map<Ipv4Address, uint32_t> main_of;
    std::map<Ipv4Address, uint32_t> number_of;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        Ptr<Ipv4> ip = nodes.Get(i)->GetObject<Ipv4>();
        main_of[ip->GetAddress(1, 0).GetLocal()] = i;
        for (uint32_t interface = 1; interface < ip->GetNInterfaces(); ++interface)
        {
            number_of[ip->GetAddress(interface, 0).GetLocal()] = i;
        }
    }
    std::string text(static_cast<size_t>(nodes.GetN()) * nodes.GetN(), '-');
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        auto protocol = DynamicCast<olsr::RoutingProtocol>(nodes.Get(i)->GetObject<Ipv4>()->GetRoutingProtocol());
        for (const auto& entry : protocol->GetRoutingTableEntries())
        {
            auto dst = main_of.find(entry.destAddr);
            auto next = number_of.find(entry.nextAddr);
            if (dst != main_of.end() && next != number_of.end())
            {
                text[static_cast<size_t>(i) * nodes.GetN() + dst->second] = digit(next->second);
            }
        }
    }
    std::printf("HOPLAB routes %s\n", text.c_str());
}

void
watch_olsr(const NodeContainer& nodes)
{
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        nodes.Get(i)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext("Tx", MakeCallback(&count_olsr));
    }
    for (double time : samples)
    {
        Simulator::Schedule(Seconds(time), &print_tables, nodes);
    }
}

void
print_paths(NetDeviceContainer points)
{
    std::map<Address, uint32_t> number_of;
    for (uint32_t i = 0; i < points.GetN(); ++i)
    {
        number_of[points.Get(i)->GetAddress()] = i;
    }
    std::string text(static_cast<size_t>(points.GetN()) * points.GetN(), '-');
    for (uint32_t i = 0; i < points.GetN(); ++i)
    {
        auto protocol = DynamicCast<dot11s::HwmpProtocol>(
            DynamicCast<MeshPointDevice>(points.Get(i))->GetRoutingProtocol());
        for (const auto& [address, dst] : number_of)
        {
            auto path = protocol->GetRoutingTable()->LookupReactive(Mac48Address::ConvertFrom(address));
            auto next = number_of.find(path.retransmitter);
            if (next != number_of.end())
            {
                text[static_cast<size_t>(i) * points.GetN() + dst] = digit(next->second);
            }
        }
    }
    std::printf("HOPLAB routes %s\n", text.c_str());
}

void
switch_radios(const NetDeviceContainer& devices)
{
    for (const Off& off : offs)
    {
        Ptr<WifiPhy> radio = DynamicCast<WifiNetDevice>(devices.Get(off.node))->GetPhy();
        Simulator::Schedule(Seconds(off.begin), &WifiPhy::SetOffMode, radio);
        Simulator::Schedule(Seconds(off.end), &WifiPhy::ResumeFromOff, radio);
    }
}

// Once the devices have addresses, and AODV has connected itself to the MAC.
void
watch_aodv(const NodeContainer& nodes, const NetDeviceContainer& devices)
{
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        Ptr<Ipv4L3Protocol> ip = nodes.Get(i)->GetObject<Ipv4L3Protocol>();
        ip->TraceConnectWithoutContext("Tx", MakeCallback(&count_control));
        if (number("stock") != 0.0 && number("feedback") != 0.0)
        {
            continue;
        }
        auto protocol = DynamicCast<aodv::RoutingProtocol>(ip->GetRoutingProtocol());
        Ptr<WifiMac> mac = DynamicCast<WifiNetDevice>(devices.Get(i))->GetMac();
        mac->TraceDisconnectWithoutContext("DroppedMpdu", MakeCallback(notice_of_drop(), PeekPointer(protocol)));
        address_of[mac->GetAddress()] = ip->GetAddress(1, 0).GetLocal();
        if (number("feedback") != 0.0)
        {
            mac->TraceConnectWithoutContext("DroppedMpdu", MakeBoundCallback(&on_drop, protocol));
        }
    }
}

// Addresses that nobody has to ask for, where the scenario has no ARP.
void
fill_caches(const NodeContainer& nodes, const NetDeviceContainer& devices)
{
    for (const Neighbors& n : neighbors)
    {
        Ptr<Ipv4> ip = nodes.Get(n.a)->GetObject<Ipv4>();
        Ptr<ArpCache> cache = DynamicCast<Ipv4L3Protocol>(ip)->GetInterface(1)->GetArpCache();
        Ipv4Address address = nodes.Get(n.b)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
        ArpCache::Entry* entry = cache->Lookup(address);
        entry = entry == nullptr ? cache->Add(address) : entry;
        entry->SetMacAddress(devices.Get(n.b)->GetAddress());
        entry->MarkPermanent();
    }
}

void
on_tcp_sent(Traffic* flow, Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    if (packet->GetSize() == 0 || Simulator::Now().GetSeconds() < flow->measured)
    {
        flow->highest = std::max(flow->highest, header.GetSequenceNumber().GetValue());
        return;
    }
    ++flow->sent;
    const uint32_t number = header.GetSequenceNumber().GetValue();
    flow->repeated += number <= flow->highest && flow->highest > 0 ? 1 : 0;
    flow->highest = std::max(flow->highest, number);
}

void
on_tcp_state(Traffic* flow, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
{
    const bool counts = Simulator::Now().GetSeconds() >= flow->measured;
    flow->timeouts += counts && now == TcpSocketState::CA_LOSS ? 1 : 0;
}

void
on_window(Traffic* flow, uint32_t, uint32_t now)
{
    flow->cwnd = now;
}

void
watch_tcp(Traffic* flow)
{
    Ptr<Socket> socket = flow->source->GetSocket();
    socket->TraceConnectWithoutContext("Tx", MakeBoundCallback(&on_tcp_sent, flow));
    socket->TraceConnectWithoutContext("CongState", MakeBoundCallback(&on_tcp_state, flow));
    socket->TraceConnectWithoutContext("CongestionWindow", MakeBoundCallback(&on_window, flow));
}

void
sample_window(Traffic* flow)
{
    flow->cwnd_sum += static_cast<double>(flow->cwnd) / flow->segment;
    ++flow->cwnd_count;
    Simulator::Schedule(Seconds(SAMPLE_S), &sample_window, flow);
}

void
open_window(Traffic* flow)
{
    flow->first_bytes = flow->sink ? flow->sink->GetTotalRx() : flow->bytes;
    if (flow->sink)
    {
        sample_window(flow);
    }
}

void
send_datagram(Traffic* flow, uint64_t number)
{
    const double now = Simulator::Now().GetSeconds();
    if (now >= flow->stop)
    {
        return;
    }
    std::vector<uint8_t> payload(flow->segment);
    const int64_t stamp = Simulator::Now().GetNanoSeconds();
    std::memcpy(payload.data(), &stamp, std::min(sizeof stamp, payload.size()));
    flow->socket->Send(Create<Packet>(payload.data(), flow->segment));
    if (now >= flow->measured)
    {
        ++flow->sent;
    }
    const double next = flow->start + static_cast<double>(number + 1) * 8.0 * flow->segment / flow->rate;
    Simulator::Schedule(Seconds(next) - Simulator::Now(), &send_datagram, flow, number + 1);
}

void
on_datagram(Traffic* flow, Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        flow->bytes += packet->GetSize();
        int64_t stamp = 0;
        if (packet->GetSize() >= sizeof stamp && Simulator::Now().GetSeconds() >= flow->measured)
        {
            packet->CopyData(reinterpret_cast<uint8_t*>(&stamp), sizeof stamp);
            const double now = Simulator::Now().GetSeconds();
            flow->gap_s = flow->last_s < 0.0 ? 0.0 : std::max(flow->gap_s, now - flow->last_s);
            flow->last_s = now;
            ++flow->arrived;
            flow->delay_sum += (Simulator::Now() - NanoSeconds(stamp)).GetSeconds();
        }
    }
}

void
install_flow(Traffic* flow, const NodeContainer& nodes)
{
    const auto port = static_cast<uint16_t>(9000 + flow->id);
    Ipv4Address address = nodes.Get(flow->dst)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
    InetSocketAddress there(address, port);
    if (flow->kind == "udp")
    {
        Ptr<Socket> sink = Socket::CreateSocket(nodes.Get(flow->dst), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        sink->SetRecvCallback(MakeBoundCallback(&on_datagram, flow));
        flow->socket = Socket::CreateSocket(nodes.Get(flow->src), UdpSocketFactory::GetTypeId());
        flow->socket->Bind();
        flow->socket->Connect(there);
        Simulator::Schedule(Seconds(flow->start), &send_datagram, flow, uint64_t{0});
    }
    else
    {
        PacketSinkHelper sinks("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        ApplicationContainer sink = sinks.Install(nodes.Get(flow->dst));
        flow->sink = DynamicCast<PacketSink>(sink.Get(0));
        BulkSendHelper bulk("ns3::TcpSocketFactory", there);
        bulk.SetAttribute("SendSize", UintegerValue(flow->segment));
        ApplicationContainer source = bulk.Install(nodes.Get(flow->src));
        flow->source = DynamicCast<BulkSendApplication>(source.Get(0));
        source.Start(Seconds(flow->start));
        source.Stop(Seconds(flow->stop));
        Simulator::Schedule(Seconds(flow->start) + NanoSeconds(1), &watch_tcp, flow);
    }
    Simulator::Schedule(Seconds(flow->measured) + NanoSeconds(2), &open_window, flow);
}

void
set_tcp()
{
    const Traffic* tcp = nullptr;
    for (const Traffic& flow : flows)
    {
        tcp = flow.kind == "udp" ? tcp : &flow;
    }
    if (tcp == nullptr)
    {
        return;
    }
    const std::string congestion = words.count("congestion") ? words["congestion"] : "TcpNewReno";
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + congestion));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(tcp->segment));
    // The window is limited at the sender: ns-3.37 ends with an error in a repair when as much is in flight as the
    // receiver allows.
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(8 * tcp->window * tcp->segment));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(tcp->window * tcp->segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(static_cast<uint32_t>(number("initial_window"))));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(number("delayed_ack") != 0.0 ? 2 : 1));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(Seconds(number("delayed_ack_timeout"))));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(number("initial_rto"))));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(number("min_rto"))));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(Seconds(number("tick"))));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(tcp->kind == "sack"));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(number("limited_transmit") != 0.0));
    Config::SetDefault("ns3::RttEstimator::InitialEstimation", TimeValue(Seconds(number("initial_rto"))));
}

double
cpu_s()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void
mark()
{
    std::printf("HOPLAB mark t=%.9g cpu=%.6f frames=%llu events=%llu\n",
                Simulator::Now().GetSeconds(),
                cpu_s(),
                static_cast<unsigned long long>(frames),
                static_cast<unsigned long long>(Simulator::GetEventCount()));
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 3)
    {
        fail("usage: ns3_peer FILE SEED");
    }
    std::ifstream file(argv[1]);
    if (!file)
    {
        fail(std::string("cannot read ") + argv[1]);
    }
    for (std::string line; std::getline(file, line);)
    {
        read_statement(line);
    }
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(std::strtoull(argv[2], nullptr, 10));

    const auto limit = static_cast<uint32_t>(number("queue_limit"));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, limit)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(ARP_LIFE_S)));
    Config::SetDefault("ns3::ArpCache::AliveTimeout", TimeValue(Seconds(ARP_LIFE_S)));
    set_tcp();
    for (const auto& [name, value] : settings)
    {
        if (!Config::SetDefaultFailSafe(name, StringValue(value)))
        {
            fail("ns-3 has no attribute or not this value: " + name + " " + value);
        }
    }

    NodeContainer nodes;
    nodes.Create(places.size());
    place_nodes(nodes);
    NetDeviceContainer devices;
    NetDeviceContainer points; // what IP sees
    std::vector<std::pair<std::string, NetDeviceContainer>> networks; // the points of each channel, with their addresses
    auto make_network = [&](const std::string& base, const NodeContainer& members, int64_t first_stream) {
        NetDeviceContainer seen;
        devices.Add(make_devices(members, &seen, first_stream));
        points.Add(seen);
        networks.emplace_back(base, seen);
    };
    if (radios.empty())
    {
        make_network("10.0.0.0", nodes, 0);
    }
    for (const auto& [channel, members] : radios)
    {
        NodeContainer there;
        for (uint32_t node : members)
        {
            there.Add(nodes.Get(node));
        }
        make_network("10." + std::to_string(channel) + ".0.0", there, 10000 * channel);
    }
    install_internet(nodes);
    for (const auto& [base, made] : networks)
    {
        Ipv4AddressHelper addresses;
        addresses.SetBase(base.c_str(), radios.empty() ? "255.0.0.0" : "255.255.0.0");
        addresses.Assign(made);
    }
    if (words["routing"] == "aodv")
    {
        watch_aodv(nodes, devices);
    }
    if (words["routing"] == "olsr")
    {
        watch_olsr(nodes);
    }
    if (is_mesh())
    {
        for (double time : samples)
        {
            Simulator::Schedule(Seconds(time), &print_paths, points);
        }
    }
    switch_radios(devices);
    if (!is_mesh())
    {
        TrafficControlHelper().Uninstall(devices); // the queue is the MAC's
    }
    if (number("arp") == 0.0)
    {
        fill_caches(nodes, points);
    }
    Ipv4StaticRoutingHelper routing;
    for (const Hop& hop : hops)
    {
        Ptr<Ipv4> ip = nodes.Get(hop.node)->GetObject<Ipv4>();
        auto address = [&nodes](uint32_t node) { return nodes.Get(node)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal(); };
        routing.GetStaticRouting(ip)->AddHostRouteTo(address(hop.dst), address(hop.next), 1);
    }
    for (Traffic& flow : flows)
    {
        install_flow(&flow, nodes);
    }

    Simulator::Schedule(Seconds(number("mark")), &mark);
    Simulator::Stop(Seconds(number("duration")));
    Simulator::Run();
    mark();
    for (const Traffic& flow : flows)
    {
        const uint64_t bytes = (flow.sink ? flow.sink->GetTotalRx() : flow.bytes) - flow.first_bytes;
        std::printf("HOPLAB flow=%u bytes=%llu sent=%llu",
                    flow.id,
                    static_cast<unsigned long long>(bytes),
                    static_cast<unsigned long long>(flow.sent));
        if (flow.sink)
        {
            std::printf(" retransmissions=%llu timeouts=%llu cwnd=%.6g",
                        static_cast<unsigned long long>(flow.repeated),
                        static_cast<unsigned long long>(flow.timeouts),
                        flow.cwnd_count > 0 ? flow.cwnd_sum / static_cast<double>(flow.cwnd_count) : 0.0);
        }
        else if (flow.arrived > 0)
        {
            std::printf(" delay=%.9g gap=%.9g", flow.delay_sum / static_cast<double>(flow.arrived), flow.gap_s);
        }
        std::printf("\n");
    }
    if (words["routing"] == "aodv")
    {
        std::printf("HOPLAB control");
        for (const char* kind : {"rreq", "rrep", "rerr", "hello"})
        {
            std::printf(" %s=%llu", kind, static_cast<unsigned long long>(control[kind]));
        }
        std::printf("\n");
    }
    if (words["routing"] == "olsr")
    {
        std::printf("HOPLAB control");
        for (const char* kind : {"packets", "bytes", "grouped", "hello", "tc"})
        {
            std::printf(" %s=%llu", kind, static_cast<unsigned long long>(control[kind]));
        }
        std::printf("\n");
    }
    if (is_mesh())
    {
        std::printf("HOPLAB control");
        for (const char* kind : {"preq", "prep", "perr", "bytes"})
        {
            std::printf(" %s=%llu", kind, static_cast<unsigned long long>(control[kind]));
        }
        std::printf("\n");
    }
    std::printf("HOPLAB end\n");
    std::fflush(stdout);
    std::_Exit(0); // nothing is left to do, and taking thousands of nodes down takes long
}
