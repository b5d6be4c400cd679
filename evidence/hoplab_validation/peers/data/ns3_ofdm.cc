// Datagrams over 802.11a and 802.11n in ns-3.37, with its own rate controls: one program for tables and benchmarks.
//
//     ns3_ofdm SEED KEY=VALUE...
//
// Stations in ad hoc mode at 5.15 GHz, 20 MHz: log-distance loss with exponent 3, 40 mW, noise figure 7 dB, error model of
// NIST, preambles from -82 dBm and 4 dB on. Layouts: a chain with static routes, or senders on a circle round node 0, each with
// one flow, or with flows of access categories. Lines begin with HOPLAB: payload per flow after `warm`, and at `mark` and at the
// end CPU seconds, PPDUs and events so far.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

// Keys, with their defaults. `manager` is `fixed` with `mode`, or a class of ns-3.
std::map<std::string, std::string> settings = {
    {"standard", "11a"}, // or 11n
    {"manager", "fixed"},
    {"mode", "OfdmRate24Mbps"},
    {"control", "OfdmRate24Mbps"},
    {"layout", "chain"}, // or cell
    {"size", "1"},       // hops, or senders
    {"distance", "25"},  // m
    {"segment", "1472"}, // bytes of payload
    {"rate", "24"},      // Mb/s per flow
    {"ampdu", "65535"},  // bytes, 802.11n
    {"priorities", ""},  // of each flow of a cell: sender:category, with commas
    {"txop", "yes"},     // TXOP limits of video and voice
    {"queue", "50"},     // packets
    {"nakagami", "0"},   // shape of the fading; 0 for none
    {"processing", "0"}, // us that a relay of a chain takes for a packet; 0 for ns-3's own forwarding
    {"warm", "2"},       // s
    {"mark", "2"},       // s
    {"end", "7"},        // s
};

[[noreturn]] void
fail(const std::string& what)
{
    std::fprintf(stderr, "ns3_ofdm: %s\n", what.c_str());
    std::exit(2);
}

double
number(const std::string& key)
{
    return std::stod(settings.at(key));
}

struct Flow
{
    uint32_t source;
    uint32_t sink;
    uint8_t priority = 0; // user priority, which is the TID
    uint64_t bytes = 0;   // payload that has arrived after `warm`
    Ptr<Socket> socket;
};

std::vector<Flow> flows;
uint64_t ppdus = 0;

void
count_ppdu(WifiConstPsduMap, WifiTxVector, double)
{
    ++ppdus;
}

void
receive(Flow* flow, Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        if (Simulator::Now() >= Seconds(number("warm")))
        {
            flow->bytes += packet->GetSize();
        }
    }
}

void
send(Flow* flow, Time gap, uint32_t segment)
{
    flow->socket->Send(Create<Packet>(segment));
    Simulator::Schedule(gap, &send, flow, gap, segment);
}

void
mark()
{
    std::printf("HOPLAB mark t=%.9g cpu=%.6f frames=%llu events=%llu\n",
                Simulator::Now().GetSeconds(),
                static_cast<double>(std::clock()) / CLOCKS_PER_SEC,
                static_cast<unsigned long long>(ppdus),
                static_cast<unsigned long long>(Simulator::GetEventCount()));
}

// User priorities of the access categories.
const std::map<std::string, uint8_t> priority_of = {
    {"voice", 6},
    {"video", 5},
    {"best_effort", 0},
    {"background", 1},
};

void
list_flows(uint32_t senders)
{
    std::stringstream priorities(settings["priorities"]);
    std::string word;
    while (std::getline(priorities, word, ','))
    {
        const auto sign = word.find(':');
        const auto priority = priority_of.find(word.substr(sign + 1));
        if (sign == std::string::npos || priority == priority_of.end())
        {
            fail("no sender:category: " + word);
        }
        flows.push_back({static_cast<uint32_t>(std::stoul(word.substr(0, sign))), 0, priority->second});
    }
    for (uint32_t sender = 1; settings["priorities"].empty() && sender <= senders; ++sender)
    {
        flows.push_back({sender, 0});
    }
}

void
place(const NodeContainer& nodes)
{
    const auto size = static_cast<uint32_t>(number("size"));
    const double distance = number("distance");
    Ptr<ListPositionAllocator> places = CreateObject<ListPositionAllocator>();
    if (settings["layout"] == "chain")
    {
        for (uint32_t node = 0; node <= size; ++node)
        {
            places->Add(Vector(node * distance, 0.0, 0.0));
        }
        flows.push_back({0, size});
    }
    else
    {
        places->Add(Vector(0.0, 0.0, 0.0));
        for (uint32_t sender = 0; sender < size; ++sender)
        {
            const double angle = 2.0 * M_PI * sender / size;
            places->Add(Vector(distance * std::cos(angle), distance * std::sin(angle), 0.0));
        }
        list_flows(size);
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
}

NetDeviceContainer
install_wifi(const NodeContainer& nodes)
{
    Ptr<YansWifiChannel> channel = CreateObject<YansWifiChannel>();
    Ptr<LogDistancePropagationLossModel> loss = CreateObject<LogDistancePropagationLossModel>();
    loss->SetPathLossExponent(3.0);
    loss->SetReference(1.0, 46.6777);
    if (const double shape = number("nakagami"); shape > 0.0)
    {
        Ptr<NakagamiPropagationLossModel> fading = CreateObject<NakagamiPropagationLossModel>();
        for (const char* range : {"m0", "m1", "m2"})
        {
            fading->SetAttribute(range, DoubleValue(shape));
        }
        loss->SetNext(fading);
    }
    channel->SetPropagationLossModel(loss);
    Ptr<ConstantSpeedPropagationDelayModel> delay = CreateObject<ConstantSpeedPropagationDelayModel>();
    delay->SetSpeed(3e8);
    channel->SetPropagationDelayModel(delay);

    const bool is_ht = settings["standard"] == "11n";
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.SetErrorRateModel("ns3::NistErrorRateModel");
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                  "Threshold", DoubleValue(4.0),
                                  "MinimumRssi", DoubleValue(-82.0));
    phy.Set("ChannelSettings", StringValue("{36, 20, BAND_5GHZ, 0}"));
    phy.Set("TxPowerStart", DoubleValue(10.0 * std::log10(40.0)));
    phy.Set("TxPowerEnd", DoubleValue(10.0 * std::log10(40.0)));
    phy.Set("RxNoiseFigure", DoubleValue(7.0));
    phy.Set("CcaSensitivity", DoubleValue(-82.0));
    phy.Set("CcaEdThreshold", DoubleValue(-62.0));
    phy.Set("RxSensitivity", DoubleValue(-103.97)); // a tenth of the noise of 20 MHz

    WifiHelper wifi;
    wifi.SetStandard(is_ht ? WIFI_STANDARD_80211n : WIFI_STANDARD_80211a);
    if (settings["manager"] == "fixed")
    {
        wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                     "DataMode", StringValue(settings["mode"]),
                                     "ControlMode", StringValue(settings["control"]));
    }
    else
    {
        wifi.SetRemoteStationManager("ns3::" + settings["manager"]);
    }
    WifiMacHelper mac;
    const UintegerValue ampdu(is_ht ? static_cast<uint32_t>(number("ampdu")) : 0);
    mac.SetType("ns3::AdhocWifiMac",
                "QosSupported", BooleanValue(is_ht),
                "BK_MaxAmpduSize", ampdu,
                "BE_MaxAmpduSize", ampdu,
                "VI_MaxAmpduSize", ampdu,
                "VO_MaxAmpduSize", ampdu);
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    wifi.AssignStreams(devices, 0);
    for (uint32_t index = 0; index < devices.GetN(); ++index)
    {
        Ptr<WifiNetDevice> device = DynamicCast<WifiNetDevice>(devices.Get(index));
        device->GetPhy()->TraceConnectWithoutContext("PhyTxPsduBegin", MakeCallback(&count_ppdu));
        for (AcIndex category : {AC_VI, AC_VO})
        {
            if (is_ht && settings["txop"] != "yes")
            {
                device->GetMac()->GetQosTxop(category)->SetTxopLimit(Seconds(0.0));
            }
        }
    }
    return devices;
}

void
install_routes(const NodeContainer& nodes)
{
    if (settings["layout"] != "chain")
    {
        return;
    }
    auto address = [&nodes](uint32_t node) { return nodes.Get(node)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal(); };
    const uint32_t last = nodes.GetN() - 1;
    Ipv4StaticRoutingHelper routing;
    for (uint32_t node = 0; node < last; ++node)
    {
        routing.GetStaticRouting(nodes.Get(node)->GetObject<Ipv4>())->AddHostRouteTo(address(last), address(node + 1), 1);
    }
}

// Relays of a chain that hand a packet on after a while, beside the stack.
NetDeviceContainer chain;

void
hand_on(uint32_t node, Ptr<Packet> packet, uint16_t protocol)
{
    chain.Get(node)->Send(packet, chain.Get(node + 1)->GetAddress(), protocol);
}

bool
relay(uint32_t node, Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address&)
{
    Simulator::Schedule(MicroSeconds(number("processing")), &hand_on, node, packet->Copy(), protocol);
    return true;
}

void
install_relays(const NetDeviceContainer& devices)
{
    chain = devices;
    for (uint32_t node = 1; node + 1 < devices.GetN(); ++node)
    {
        devices.Get(node)->SetReceiveCallback(MakeBoundCallback(&relay, node));
    }
}

void
install_flow(Flow* flow, const NodeContainer& nodes, uint16_t port)
{
    Ptr<Socket> sink = Socket::CreateSocket(nodes.Get(flow->sink), UdpSocketFactory::GetTypeId());
    sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    sink->SetRecvCallback(MakeBoundCallback(&receive, flow));
    flow->socket = Socket::CreateSocket(nodes.Get(flow->source), UdpSocketFactory::GetTypeId());
    flow->socket->Bind();
    Ipv4Address there = nodes.Get(flow->sink)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
    flow->socket->Connect(InetSocketAddress(there, port));
    flow->socket->SetIpTos(flow->priority << 5); // ns-3 takes the user priority from these bits; Connect resets them
    const auto segment = static_cast<uint32_t>(number("segment"));
    const Time gap = Seconds(8.0 * segment / (number("rate") * 1e6));
    Simulator::Schedule(Seconds(0.0), &send, flow, gap, segment);
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc < 2)
    {
        fail("usage: ns3_ofdm SEED KEY=VALUE...");
    }
    for (int index = 2; index < argc; ++index)
    {
        const std::string word = argv[index];
        const auto sign = word.find('=');
        if (sign == std::string::npos || settings.count(word.substr(0, sign)) == 0)
        {
            fail("unknown key: " + word);
        }
        settings[word.substr(0, sign)] = word.substr(sign + 1);
    }
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(std::strtoull(argv[1], nullptr, 10));
    const QueueSize limit(QueueSizeUnit::PACKETS, static_cast<uint32_t>(number("queue")));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(limit));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1e6)));

    NodeContainer nodes;
    nodes.Create(static_cast<uint32_t>(number("size")) + 1);
    place(nodes);
    NetDeviceContainer devices = install_wifi(nodes);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    stack.Install(nodes);
    stack.AssignStreams(nodes, 1000000);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.0.0.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices); // the queue is the MAC's
    NeighborCacheHelper().PopulateNeighborCache(interfaces);
    install_routes(nodes);
    if (settings["layout"] == "chain" && number("processing") > 0.0)
    {
        install_relays(devices);
    }
    uint16_t port = 9000;
    for (Flow& flow : flows)
    {
        install_flow(&flow, nodes, port++);
    }
    Simulator::Schedule(Seconds(number("mark")), &mark);
    Simulator::Stop(Seconds(number("end")));
    Simulator::Run();
    mark();
    for (std::size_t index = 0; index < flows.size(); ++index)
    {
        std::printf("HOPLAB flow=%zu bytes=%llu\n", index, static_cast<unsigned long long>(flows[index].bytes));
    }
    std::printf("HOPLAB end\n");
    std::fflush(stdout);
    std::_Exit(0);
}
